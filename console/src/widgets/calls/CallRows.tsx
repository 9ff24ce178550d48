/** Refused and failed calls, newest first, as the console and the portal show them: those that are alike in one row. */
import type { ReactNode } from 'react';
import type { Call } from '../../api/types.ts';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Badge } from '../../ui/text/Badge.tsx';
import { Id } from '../../ui/text/CopyButton.tsx';
import { classes } from '../../ui/text/classes.ts';
import { Ago, Time } from '../../ui/text/Time.tsx';
import { words } from '../../words/words.ts';
import { type Alike, alike, type Comparable } from './alike.ts';
import styles from './CallList.module.css';
import { codeInWords, targetOf } from './call-words.ts';

type Shown = Comparable & Pick<Call, 'at' | 'request_id'>;

interface Props<One> {
  calls: readonly One[];
  /** At most so many rows. */
  most?: number | undefined;
  /** After what was called: from where, and by whom. */
  by(call: One): ReactNode;
  /** What it means, and what can be done about it. */
  said(call: One): ReactNode;
  caseLink(requestId: string, text: string): ReactNode;
}

export function CallRows<One extends Shown>({ calls, most, by, said, caseLink }: Props<One>) {
  return (
    <ul className={rowsStyles.rows}>
      {alike(calls)
        .slice(0, most)
        .map((row) => {
          const { newest: call } = row;
          const { status, code, method, at } = call;
          return (
            <li key={call.request_id} className={classes(rowsStyles.row, styles.row)}>
              <div className={rowsStyles.main}>
                <p className={styles.head}>
                  <Badge tone={status >= 500 ? 'bad' : 'warn'}>
                    <span title={code}>
                      {status} {codeInWords(call)}
                    </span>
                  </Badge>
                  <strong>
                    {method} {targetOf(call)}
                  </strong>
                  {by(call)}
                </p>
                {said(call)}
                <Lines row={row} caseLink={caseLink} />
              </div>
              <div className={classes(rowsStyles.side, rowsStyles.note)}>
                <Ago at={at} />
              </div>
            </li>
          );
        })}
    </ul>
  );
}

interface LinesProps<One> extends Pick<Props<One>, 'caseLink'> {
  row: Alike<One>;
}

function Lines<One extends Shown>({ row: { newest, lines, calls }, caseLink }: LinesProps<One>) {
  const oldest = lines.at(-1);
  const one = ({ request_id }: Shown, count: number) => (
    <>
      <Id id={request_id} what={words.calls.requestId} />
      {caseLink(request_id, words.calls.case)}
      {count > 1 && <span>{words.calls.more(count - 1)}</span>}
    </>
  );
  if (lines.length === 1 || !oldest) {
    return <div className={classes(rowsStyles.note, styles.ids)}>{one(newest, calls)}</div>;
  }
  return (
    <details className={rowsStyles.note}>
      <summary>{words.calls.since(calls, <Time at={oldest.at} />)}</summary>
      <ul className={styles.lines}>
        {lines.map((line) => (
          <li key={line.request_id} className={styles.ids}>
            <Time at={line.at} /> {one(line, line.sampled_from)}
          </li>
        ))}
      </ul>
    </details>
  );
}
