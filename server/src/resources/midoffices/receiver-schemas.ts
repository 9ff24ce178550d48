import Type from 'typebox';
import { LONGEST_URL } from '../../receiver/url.ts';
import { type Group, groups, outcomes } from '../../receiver-check/line.ts';
import { BodyForm } from '../deliveries/attempt-schemas.ts';
import { input, orNull, reply, time, words } from '../forms.ts';

/** Any text, because the reply says what is wrong with it. */
export const ReceiverToCheck = input('ReceiverToCheck', {
  url: Type.String({ minLength: 1, maxLength: LONGEST_URL }),
});

export const ReceiverCheck = reply('ReceiverCheck', {
  ok: Type.Boolean(),
  url: Type.Optional(Type.String({ description: 'The normal form: what would be called.' })),
  detail: Type.Optional(Type.String({ description: 'Why not, and what to do.' })),
});

export const ReceiverToCertify = input('ReceiverToCertify', {
  form: Type.Optional(BodyForm),
});

export const ReceiverCertification = reply('ReceiverCertification', {
  url: Type.String(),
  form: BodyForm,
  started_at: time,
  duration_ms: Type.Integer(),
  verdict: words(['passed', 'failed'], {
    description: 'Passed if every line passed or warned.',
  }),
  passed: Type.Integer(),
  warned: Type.Integer({ description: 'Risks that the specification allows.' }),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  cause: orNull(
    Type.String({
      description:
        'Why the receiver could not be checked, or accepted no webhook: one sentence for all lines.',
    }),
  ),
  lines: Type.Array(
    reply('ReceiverLine', {
      name: Type.String(),
      group: words(Object.keys(groups) as Group[]),
      title: Type.String({ description: 'Completes the sentence "The receiver …".' }),
      outcome: words(outcomes),
      sent: Type.String(),
      expected: Type.String(),
      got: Type.String({ description: 'What came; for a skipped line, why it was skipped.' }),
      why: Type.String(),
      fix: Type.String(),
    }),
  ),
});
