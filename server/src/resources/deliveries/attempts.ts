/** An attempt as support sees it. */
import Type, { type Static } from 'typebox';
import { type AttemptRecord, attemptFields, attemptOutcomes } from '../../delivery/attempt.ts';
import { attemptFailures } from '../../receiver/failure-codes.ts';
import { orNull, reply, time, words } from '../forms.ts';

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
  duration_ms: Type.Integer(),
  outcome: words(attemptOutcomes, { title: 'AttemptOutcome' }),
  status_code: orNull(
    Type.Integer({
      description:
        'Also of a reply that was never finished, so a failed attempt can have 200. Null if no reply began.',
    }),
  ),
  reply_excerpt: orNull(
    Type.String({
      description:
        'The first 4 KiB of the reply, as far as it arrived. Invalid UTF-8, control characters other than tabs and line breaks, and bidirectional controls are replaced with U+FFFD.',
    }),
  ),
  error: orNull(Type.String()),
  failure_code: orNull(AttemptFailure),
  signature_timestamp: Type.Integer(),
  signature_token: Type.String(),
  // As they were at that attempt. The document allows null, although every attempt has them.
  url: orNull(Type.String()),
  body_form: orNull(BodyForm),
  user_agent: orNull(Type.String()),
  key_id: orNull(Type.String({ description: 'The key that signed it.' })),
  key_fingerprint: orNull(
    Type.String({
      description: 'Tells apart the values that the key had before and after a rotation.',
    }),
  ),
} satisfies Record<keyof AttemptRecord, unknown>);

export const AttemptWithRequest = reply('AttemptWithRequest', {
  ...Attempt.properties,
  request: orNull(
    Type.Object(
      {
        url: Type.String(),
        headers: Type.Record(Type.String(), Type.String()),
        body: Type.String(),
      },
      {
        title: 'SentRequest',
        description: 'As it was sent, with the signatures masked; null if it is not known.',
      },
    ),
  ),
});

export type ShownAttempt = Static<typeof Attempt>;

export function showAttempt(attempt: AttemptRecord): ShownAttempt {
  const fields = Object.fromEntries(attemptFields.map((name) => [name, attempt[name]]));
  const started_at = new Date(attempt.started_at).toISOString();
  return { ...(fields as unknown as AttemptRecord), started_at };
}
