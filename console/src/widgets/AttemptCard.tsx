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
import styles from './Attempt.module.css';

export function AttemptCard({ attempt, isOpen = false }: { attempt: Attempt; isOpen?: boolean }) {
  const delivered = attempt.outcome === 'delivered';
  return (
    <>
      <span className={styles.mark}>{delivered ? <CheckIcon /> : <CrossIcon />}</span>
      <div className={styles.head}>
        <strong>Attempt {attempt.number}</strong>
        <Badge tone={delivered ? 'good' : 'bad'}>
          {attempt.status_code === null ? 'no reply' : `HTTP ${attempt.status_code}`}
        </Badge>
        <span className={styles.duration}>{durationOf(attempt.duration_ms)}</span>
        <span className={styles.time}>
          <Time at={attempt.started_at} />
        </span>
      </div>
      {attempt.error && <p className={styles.error}>{attempt.error}</p>}
      <details className={styles.more} open={isOpen || undefined}>
        <summary>Request and reply</summary>
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
            {request.url ? <code>{request.url}</code> : 'to the URL that the midoffice had then'}{' '}
            <CurlButton command={curlOf(replayOf(request))} what={`attempt ${attempt.number}`} />
          </p>
          <h3>Headers sent</h3>
          <Code
            label="Headers sent"
            text={Object.entries(request.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          />
          <h3>Body sent</h3>
          <Code label="Body sent" text={request.body} />
        </>
      ) : (
        <p className={styles.line}>
          Signed at <code>{attempt.signature_timestamp}</code> with token{' '}
          <code>{attempt.signature_token}</code>
        </p>
      )}
      <h3>Reply</h3>
      {reply_excerpt ? (
        <Code label="Reply" text={reply_excerpt} />
      ) : (
        <p className={styles.none}>{withoutBody(attempt)}</p>
      )}
    </div>
  );
}

function withoutBody({ status_code, failure_code }: Attempt): string {
  if (status_code === null) return 'No reply arrived.';
  const isWhole = failure_code === null || failure_code === 'status';
  return isWhole ? 'The reply had no body.' : 'Nothing of its body arrived.';
}
