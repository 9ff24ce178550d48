/** What a receiver's certification found: by group, and everything about the lines that failed. */
import type { ReceiverCertification, ReceiverLine } from '../model.ts';
import { durationOf } from '../times.ts';
import { Badge, type Tone } from './Badge.tsx';
import { Facts } from './Facts.tsx';
import { CheckIcon, CrossIcon } from './icons.tsx';
import { Note } from './Note.tsx';
import { Section } from './Page.tsx';
import { Time } from './Time.tsx';

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
        <span className="report-when">
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
        <section key={group} className="report-group" aria-label={groups[group]}>
          <h3>{groups[group]}</h3>
          <ul className="report-lines">
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
    <li className={`report-line report-${outcome}`}>
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
