/** An attempt as support sees it, with the request as the receiver got it. */
import { composeBody } from '@bellhop/partner';
import type { Static } from 'typebox';
import { VERSION } from '../../base/version.ts';
import { type AttemptRecord, attemptOutcomes } from '../../delivery/attempt.ts';
import { eventOf, headerSafe } from '../../delivery/sign.ts';
import type { SentEvent, SignedRequest } from '../../delivery/stages.ts';
import { attemptFailures } from '../../receiver/failure-codes.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { Type } from '../type.ts';

export const BodyForm = words(['data', 'flat', 'both'], {
  title: 'BodyForm',
  description: "Where a webhook's body has the fields of the order: under `data`, flat, or both.",
});

export const AttemptFailure = words(attemptFailures, {
  title: 'AttemptFailure',
  description: 'Why an attempt failed, for programs.',
});

export const Attempt = reply('Attempt', {
  number: Type.Integer(),
  started_at: time,
  duration_ms: like(184, Type.Integer()),
  outcome: words(attemptOutcomes, { title: 'AttemptOutcome' }),
  status_code: orNull(
    Type.Integer({
      description:
        'Also of a reply that was never finished, so a failed attempt can have 200. Null if no reply began.',
      examples: [200],
    }),
  ),
  reply_excerpt: orNull(
    like(
      'OK',
      'The first 4 KiB of the reply, as far as it arrived. Invalid UTF-8, control characters other than tabs and line breaks, and bidirectional controls are replaced with U+FFFD.',
    ),
  ),
  error: like(null, orNull(Type.String())),
  failure_code: like(null, orNull(AttemptFailure)),
  signature_timestamp: like(story.signature.timestamp, Type.Integer()),
  signature_token: like(story.signature.token),
  // As they were at that attempt. The document allows null, although every attempt has them.
  url: orNull(like(story.url)),
  body_form: orNull(BodyForm),
  user_agent: orNull(like(`Bellhop/${VERSION}`)),
  key_id: orNull(like(story.keyId, 'The key that signed it.')),
  key_fingerprint: orNull(
    like('6f1d2a90', 'Tells apart the values that the key had before and after a rotation.'),
  ),
} satisfies Record<keyof AttemptRecord, unknown>);

const MASKED = '…';

/** The signatures prove who sent it, so only the service and the receiver may know them. */
const SentRequest = Type.Object(
  {
    url: like(story.url),
    headers: like(
      {
        'content-type': 'application/json',
        'user-agent': `Bellhop/${VERSION}`,
        'webhook-id': story.eventId,
        'webhook-timestamp': String(story.signature.timestamp),
        'webhook-signature': `v1,${MASKED}`,
      },
      Type.Record(Type.String(), Type.String()),
    ),
    body: like(composeBody(story.event, 'data', { ...story.signature, signature: MASKED })),
  },
  {
    title: 'SentRequest',
    description: 'As it was sent, with the signatures masked; null if it is not known.',
  },
);

export const AttemptWithRequest = reply('AttemptWithRequest', {
  ...Attempt.properties,
  request: orNull(SentRequest),
});

/** The reply's schema leaves out which delivery it belongs to. */
export function showAttempt(attempt: AttemptRecord): Static<typeof Attempt> {
  return { ...attempt, started_at: new Date(attempt.started_at).toISOString() };
}

/** Null if nothing was sent. */
export function requestAsSent(
  event: SentEvent,
  attempt: Omit<SignedRequest, 'key_id' | 'key_fingerprint'> & Pick<AttemptRecord, 'failure_code'>,
): Static<typeof SentRequest> | null {
  const { signature_timestamp: timestamp, signature_token: token } = attempt;
  const { url, body_form, user_agent } = attempt;
  // The webhook could not be signed, so nothing was sent.
  if (attempt.failure_code === 'signing') return null;
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': user_agent,
      'webhook-id': headerSafe(event.event_id),
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${MASKED}`,
    },
    body: composeBody(eventOf(event), body_form, { signature: MASKED, timestamp, token }),
  };
}
