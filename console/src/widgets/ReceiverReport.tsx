/** The report on a receiver's check, by group. Failed lines and warnings are open. */
import type { ReactNode } from 'react';
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
import { words } from '../words/words.ts';
import styles from './ReceiverReport.module.css';

const tones: Record<ReceiverLine['outcome'], Tone> = {
  passed: 'good',
  warned: 'warn',
  failed: 'bad',
  skipped: 'calm',
};

interface Props {
  report: ReceiverCertification;
  /** Of another report of this form than the receiver check's. */
  said?: ReportWords;
  /** Below the verdict. */
  children?: ReactNode;
}

type ReportWords = Pick<typeof words.receiverCheck, 'title' | 'passed' | 'notPassed'>;

export function ReceiverReport({ report, said = words.receiverCheck, children }: Props) {
  const { verdict, warned, lines, started_at, duration_ms } = report;
  const passedKind = warned > 0 ? 'warn' : 'plain';
  return (
    <Section
      title={said.title}
      aside={
        <span className={styles.when}>
          <Time at={started_at} />, {durationOf(duration_ms)}
        </span>
      }
    >
      <Note kind={verdict === 'passed' ? passedKind : 'bad'}>{verdictOf(report, said)}</Note>
      {children}
      {groupsIn(lines).map(([group, title]) => (
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

function groupsIn(lines: readonly ReceiverLine[]) {
  return entriesOf(words.receiverCheck.groups).filter(([group]) =>
    lines.some((line) => line.group === group),
  );
}

function verdictOf(report: ReceiverCertification, { passed, notPassed }: ReportWords): string {
  const { verdict, warned, cause } = report;
  const { passedWithWarning } = words.receiverCheck;
  const counts = { ...report, lines: report.lines.length };
  if (verdict === 'passed') return warned === 0 ? passed(counts) : passedWithWarning(counts);
  return cause === null ? notPassed(counts) : `${notPassed(counts)} ${cause}`;
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
            {words.receiverCheck.outcomes[outcome]}
          </Badge>
          <span>{title}</span>
          <code>{name}</code>
        </summary>
        <Facts
          facts={[
            [words.receiverCheck.sent, sent],
            [words.receiverCheck.expected, expected],
            [outcome === 'skipped' ? words.receiverCheck.skipped : words.receiverCheck.got, got],
            [words.receiverCheck.why, why],
            [words.receiverCheck.fix, fix],
          ]}
        />
      </details>
    </li>
  );
}
