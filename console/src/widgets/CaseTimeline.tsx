/** Everything that happened to an order, or around a call, the oldest first. */
import type { ReactNode } from 'react';
import type { Case, CaseItem, CaseKind } from '../api/types.ts';
import { Note } from '../ui/page/Note.tsx';
import sectionStyles from '../ui/page/Section.module.css';
import { Badge } from '../ui/text/Badge.tsx';
import { classes } from '../ui/text/classes.ts';
import { CheckIcon, CrossIcon, DotIcon } from '../ui/text/icons.tsx';
import { Time } from '../ui/text/Time.tsx';
import { inChosenZone } from '../ui/text/times.ts';
import { words } from '../words/words.ts';
import styles from './Attempt.module.css';

/** What support and partners have of it alike. */
export type ShownCase = Pick<Case, 'items' | 'is_complete'> & {
  subject: Pick<Case['subject'], 'kind' | 'id'>;
};

interface Props {
  found: ShownCase;
  /** A link to what an item is about. */
  linkOf(item: CaseItem): ReactNode;
}

export function CaseTimeline({ found: { subject, items, is_complete }, linkOf }: Props) {
  return (
    <>
      {!is_complete && <Note>{words.cases.incomplete}</Note>}
      <ol className={classes(styles.timeline, sectionStyles.section)}>
        {inRuns(items, subject.id).map(([item, ...alike]) => (
          <li
            key={`${item.at} ${item.subject} ${item.request_id} ${item.sentence}`}
            className={classes(styles.moment, styles[toneOf(item)])}
          >
            <span className={styles.mark}>{icons[toneOf(item)]}</span>
            <div className={styles.head}>
              <strong>{words.cases.kinds[item.kind]}</strong> {linkOf(item)}
              {item.request_id === subject.id && <Badge tone="accent">{words.cases.itself}</Badge>}
              <span className={styles.time}>
                <Time at={item.at} />
              </span>
            </div>
            <p className={styles.line}>{inChosenZone(item.sentence)}</p>
            {item.answer && (
              <p className={classes(styles.line, styles.none)}>
                {words.cases.answer} {item.answer}
              </p>
            )}
            {alike.length > 0 && (
              <details className={styles.more}>
                <summary>{words.cases.alike(alike.length)}</summary>
                <ol className={styles.list}>
                  {alike.map((one) => (
                    <li key={one.request_id}>
                      <Time at={one.at} /> {linkOf(one)}
                    </li>
                  ))}
                </ol>
              </details>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

type Run = [CaseItem, ...CaseItem[]];

/** Refused calls that say the same are one, until something else happens. The call that the case is about stands alone. */
function inRuns(items: readonly CaseItem[], subjectId: string): Run[] {
  const runs: Run[] = [];
  let refused: Run[] = [];
  for (const item of items) {
    const mayShare = item.kind === 'refused' && item.request_id !== subjectId;
    const alike = mayShare && refused.find(([first]) => first.sentence === item.sentence);
    if (alike) {
      alike.push(item);
      continue;
    }
    const run: Run = [item];
    runs.push(run);
    refused = mayShare ? [...refused, run] : [];
  }
  return runs;
}

const icons = { good: <CheckIcon />, bad: <CrossIcon />, now: <DotIcon />, later: null };

const calm: readonly CaseKind[] = ['accepted', 'routed', 'cancelled', 'notice'];
const byPeople: readonly CaseKind[] = ['action', 'change', 'note'];

function toneOf({ kind, status_code }: CaseItem): keyof typeof icons {
  if (kind === 'delivered') return 'good';
  if (kind === 'attempt') return status_code !== null && status_code < 300 ? 'good' : 'bad';
  if (calm.includes(kind)) return 'later';
  return byPeople.includes(kind) ? 'now' : 'bad';
}
