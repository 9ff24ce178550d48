/** Everything that happened to an order, or around a call, the oldest first. */
import type { ReactNode } from 'react';
import type { Case, CaseItem, CaseKind } from '../api/types.ts';
import { Note } from '../ui/page/Note.tsx';
import { classes } from '../ui/text/classes.ts';
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

export function CaseTimeline({ found: { items, is_complete }, linkOf }: Props) {
  return (
    <>
      {!is_complete && <Note>{words.cases.incomplete}</Note>}
      <ol className={styles.timeline}>
        {items.map((item) => (
          <li
            key={`${item.at} ${item.subject} ${item.sentence}`}
            className={classes(styles.moment, styles[toneOf(item)])}
          >
            <span className={styles.mark} />
            <div className={styles.head}>
              <strong>{words.cases.kinds[item.kind]}</strong> {linkOf(item)}
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
          </li>
        ))}
      </ol>
    </>
  );
}

const calm: readonly CaseKind[] = ['accepted', 'routed', 'cancelled', 'notice'];
const byPeople: readonly CaseKind[] = ['action', 'change', 'note'];

function toneOf({ kind, status_code }: CaseItem): 'good' | 'bad' | 'now' | 'later' {
  if (kind === 'delivered') return 'good';
  if (kind === 'attempt') return status_code !== null && status_code < 300 ? 'good' : 'bad';
  if (calm.includes(kind)) return 'later';
  return byPeople.includes(kind) ? 'now' : 'bad';
}
