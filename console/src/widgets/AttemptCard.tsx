/** One attempt: its result, and on request the exact request and reply. */
import type { Attempt } from '../api/types.ts';
import { Badge } from '../ui/text/Badge.tsx';
import { Code } from '../ui/text/Code.tsx';
import { CurlButton } from '../ui/text/CurlButton.tsx';
import { classes } from '../ui/text/classes.ts';
import { curlOf, type Request } from '../ui/text/curl.ts';
import { durationOf } from '../ui/text/durations.ts';
import { CheckIcon, CrossIcon } from '../ui/text/icons.tsx';
import { Method } from '../ui/text/Method.tsx';
import { Time } from '../ui/text/Time.tsx';
import { words } from '../words/words.ts';
import styles from './Attempt.module.css';

export function AttemptCard({ attempt, isOpen = false }: { attempt: Attempt; isOpen?: boolean }) {
  const delivered = attempt.outcome === 'delivered';
  return (
    <>
      <span className={styles.mark}>{delivered ? <CheckIcon /> : <CrossIcon />}</span>
      <div className={styles.head}>
        <strong>{words.attempts.attempt(attempt.number)}</strong>
        <Badge tone={delivered ? 'good' : 'bad'}>
          {attempt.status_code === null
            ? words.attempts.noReply
            : words.attempts.status(attempt.status_code)}
        </Badge>
        <span className={styles.duration}>{durationOf(attempt.duration_ms)}</span>
        <span className={styles.time}>
          <Time at={attempt.started_at} />
        </span>
      </div>
      {attempt.error && <p className={styles.error}>{attempt.error}</p>}
      <details className={styles.more} open={isOpen || undefined}>
        <summary>{words.attempts.exchange}</summary>
        <Exchange attempt={attempt} />
      </details>
    </>
  );
}

/** An attempt outside a timeline. */
export function SingleAttempt(props: { attempt: Attempt; isOpen?: boolean }) {
  const delivered = props.attempt.outcome === 'delivered';
  return (
    <div className={classes(styles.timeline, styles.single)}>
      <div className={classes(styles.moment, delivered ? styles.good : styles.bad)}>
        <AttemptCard {...props} />
      </div>
    </div>
  );
}

/** The request again, as far as the console knows it: the signatures are masked. */
function replayOf({ url, headers, body }: NonNullable<Attempt['request']>): Request {
  return { method: 'POST', url, headers: Object.entries(headers), body };
}

function Exchange({ attempt }: { attempt: Attempt }) {
  const { request, reply_excerpt } = attempt;
  return (
    <div className={styles.exchange}>
      {request ? (
        <>
          <p className={styles.line}>
            <Method name="post" />{' '}
            {request.url ? <code>{request.url}</code> : words.attempts.formerUrl}{' '}
            <CurlButton
              command={curlOf(replayOf(request))}
              what={words.attempts.asCurl(attempt.number)}
            />
          </p>
          <h3>{words.attempts.headers}</h3>
          <Code
            label={words.attempts.headers}
            text={Object.entries(request.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          />
          <h3>{words.attempts.body}</h3>
          <Code label={words.attempts.body} text={request.body} />
        </>
      ) : (
        <p className={styles.line}>
          {words.attempts.signed(
            <code>{attempt.signature_timestamp}</code>,
            <code>{attempt.signature_token}</code>,
          )}
        </p>
      )}
      <h3>{words.attempts.reply}</h3>
      {reply_excerpt ? (
        <Code label={words.attempts.reply} text={reply_excerpt} />
      ) : (
        <p className={styles.none}>{withoutBody(attempt)}</p>
      )}
    </div>
  );
}

function withoutBody({ status_code, failure_code }: Attempt): string {
  if (status_code === null) return words.attempts.noReplyArrived;
  const isWhole = failure_code === null || failure_code === 'status';
  return isWhole ? words.attempts.noBody : words.attempts.noBodyArrived;
}
