/** One attempt: how it ended, and on demand exactly what was sent and what came back. */
import type { Attempt } from '../model.ts';
import { durationOf } from '../times.ts';
import { Badge } from './Badge.tsx';
import { Code } from './Code.tsx';
import { CheckIcon, CrossIcon } from './icons.tsx';
import { Time } from './Time.tsx';

export function AttemptCard({ attempt, isOpen = false }: { attempt: Attempt; isOpen?: boolean }) {
  const delivered = attempt.outcome === 'delivered';
  return (
    <>
      <span className="moment-mark">{delivered ? <CheckIcon /> : <CrossIcon />}</span>
      <div className="moment-head">
        <strong>Attempt {attempt.number}</strong>
        <Badge tone={delivered ? 'good' : 'bad'}>
          {attempt.status_code === null ? 'no reply' : `HTTP ${attempt.status_code}`}
        </Badge>
        <span className="moment-duration">{durationOf(attempt.duration_ms)}</span>
        <span className="moment-time">
          <Time at={attempt.started_at} />
        </span>
      </div>
      {attempt.error && <p className="moment-error">{attempt.error}</p>}
      <details className="moment-more" open={isOpen || undefined}>
        <summary>What was sent and answered</summary>
        <Exchange attempt={attempt} />
      </details>
    </>
  );
}

function Exchange({ attempt }: { attempt: Attempt }) {
  const { request, reply_excerpt } = attempt;
  return (
    <div className="exchange">
      {request ? (
        <>
          <p className="exchange-line">
            <span className="method method-post">POST</span>{' '}
            {request.url ? <code>{request.url}</code> : 'to the URL that the midoffice then had'}
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
        <p className="exchange-line">
          Signed at <code>{attempt.signature_timestamp}</code> with token{' '}
          <code>{attempt.signature_token}</code>
        </p>
      )}
      <h3>Reply</h3>
      {reply_excerpt ? (
        <Code label="Reply" text={reply_excerpt} />
      ) : (
        <p className="exchange-none">
          {attempt.status_code === null ? 'None: no reply came.' : 'The reply had no body.'}
        </p>
      )}
    </div>
  );
}
