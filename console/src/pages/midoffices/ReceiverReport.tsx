/** The report on a receiver's certification, by group. Failed lines are open. */
import type { ReceiverCertification, ReceiverLine } from '../../api/types.ts';
import { Facts } from '../../ui/page/Facts.tsx';
import { Note } from '../../ui/page/Note.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { Badge, type Tone } from '../../ui/text/Badge.tsx';
import { classes } from '../../ui/text/classes.ts';
import { CheckIcon, CrossIcon } from '../../ui/text/icons.tsx';
import { Time } from '../../ui/text/Time.tsx';
import { durationOf } from '../../ui/text/times.ts';
import styles from './ReceiverReport.module.css';

const groups: Record<ReceiverLine['group'], string> = {
  accepts: 'Accepts what is genuine',
  refuses: 'Refuses what is not',
  survives: 'Survives what is broken',
  replies: 'Replies as it should',
};

const tones: Record<ReceiverLine['outcome'], Tone> = {
  passed: 'good',
  failed: 'bad',
  skipped: 'calm',
};

export function ReceiverReport({ report }: { report: ReceiverCertification }) {
  const { verdict, passed, failed, skipped, lines, started_at, duration_ms } = report;
  return (
    <Section
      title="Receiver certification"
      aside={
        <span className={styles.when}>
          <Time at={started_at} />, {durationOf(duration_ms)}
        </span>
      }
    >
      <Note kind={verdict === 'passed' ? 'plain' : 'bad'}>
        {verdict === 'passed'
          ? `Certified: all ${passed} lines passed.`
          : `Not certified: ${failed} of ${lines.length} lines failed, ${skipped} were skipped, ${passed} passed.`}
      </Note>
      {(Object.keys(groups) as ReceiverLine['group'][]).map((group) => (
        <section key={group} className={styles.group} aria-label={groups[group]}>
          <h3>{groups[group]}</h3>
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

function Line({ line }: { line: ReceiverLine }) {
  const { name, title, outcome, sent, expected, got, why, fix } = line;
  return (
    <li className={classes(styles.line, outcome === 'skipped' && styles.skipped)}>
      <details open={outcome === 'failed' || undefined}>
        <summary>
          <Badge tone={tones[outcome]}>
            {outcome === 'passed' && <CheckIcon />}
            {outcome === 'failed' && <CrossIcon />}
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
