/** The report on a receiver's check, by group. Failed lines and warnings are open. */
import type { ReceiverCertification, ReceiverLine } from '../api/types.ts';
import { entriesOf } from '../entries.ts';
import { Facts } from '../ui/page/Facts.tsx';
import { Note } from '../ui/page/Note.tsx';
import { Section } from '../ui/page/Section.tsx';
import { Badge, type Tone } from '../ui/text/Badge.tsx';
import { classes } from '../ui/text/classes.ts';
import { durationOf } from '../ui/text/durations.ts';
import { CheckIcon, CrossIcon, WarningIcon } from '../ui/text/icons.tsx';
import { Time } from '../ui/text/Time.tsx';
import styles from './ReceiverReport.module.css';

const groups: Record<ReceiverLine['group'], string> = {
  accepts: 'Accepts what is genuine',
  refuses: 'Refuses what is not',
  survives: 'Survives what is broken',
  replies: 'Replies as it should',
};

const tones: Record<ReceiverLine['outcome'], Tone> = {
  passed: 'good',
  warned: 'warn',
  failed: 'bad',
  skipped: 'calm',
};

export function ReceiverReport({ report }: { report: ReceiverCertification }) {
  const { verdict, warned, lines, started_at, duration_ms } = report;
  const passedKind = warned > 0 ? 'warn' : 'plain';
  return (
    <Section
      title="Receiver check"
      aside={
        <span className={styles.when}>
          <Time at={started_at} />, {durationOf(duration_ms)}
        </span>
      }
    >
      <Note kind={verdict === 'passed' ? passedKind : 'bad'}>{verdictOf(report)}</Note>
      {entriesOf(groups).map(([group, title]) => (
        <section key={group} className={styles.group} aria-label={title}>
          <h3>{title}</h3>
          <ul className={styles.lines}>
            {lines
              .filter((line) => line.group === group)
              .map((line) => (
                <Line key={line.name} line={line} />
              ))}
          </ul>
        </section>
      ))}
    </Section>
  );
}

function verdictOf(report: ReceiverCertification): string {
  const { verdict, passed, warned, failed, skipped, cause, lines } = report;
  if (verdict === 'passed' && warned === 0) return `Passed: all ${passed} lines passed.`;
  if (verdict === 'passed') {
    return `Passed with a warning: ${passed} of ${lines.length} lines passed, ${warned} warned.`;
  }
  const warnings = warned > 0 ? `, ${warned} warned` : '';
  const counts = `${failed} of ${lines.length} lines failed, ${skipped} were skipped, ${passed} passed${warnings}`;
  return `Not passed: ${counts}.${cause === null ? '' : ` ${cause}`}`;
}

function Line({ line }: { line: ReceiverLine }) {
  const { name, title, outcome, sent, expected, got, why, fix } = line;
  return (
    <li className={classes(styles.line, outcome === 'skipped' && styles.skipped)}>
      <details open={outcome === 'failed' || outcome === 'warned' || undefined}>
        <summary>
          <Badge tone={tones[outcome]}>
            {outcome === 'passed' && <CheckIcon />}
            {outcome === 'failed' && <CrossIcon />}
            {outcome === 'warned' && <WarningIcon />}
            {outcome}
          </Badge>
          <span>{title}</span>
          <code>{name}</code>
        </summary>
        <Facts
          facts={[
            ['Sent', sent],
            ['Expected', expected],
            [outcome === 'skipped' ? 'Skipped' : 'Got', got],
            ['Why it matters', why],
            ['How to fix it', fix],
          ]}
        />
      </details>
    </li>
  );
}
