import {
  type Group,
  groups,
  LONGEST_URL,
  type Outcome,
  outcomes,
} from '@bellhop/partner/receiver-check';
import type { Static } from 'typebox';
import { BodyForm } from '../deliveries/attempts.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { input, orNull, reply, time, words } from '../forms.ts';
import { Type } from '../type.ts';
import { findMidoffice } from './midoffice.ts';

/** Any text, because the reply says what is wrong with it. */
export const ReceiverToCheck = input('ReceiverToCheck', {
  url: like(story.url, Type.String({ minLength: 1, maxLength: LONGEST_URL })),
});

export const ReceiverCheck = reply('ReceiverCheck', {
  ok: Type.Boolean(),
  url: Type.Optional(like(story.url, 'The normal form: what would be called.')),
  detail: Type.Optional(
    like('The name midoffice.example could not be resolved.', 'Why not, and what to do.'),
  ),
});

export const ReceiverToCertify = input('ReceiverToCertify', {
  form: Type.Optional(BodyForm),
});

export const ReceiverCertification = reply('ReceiverCertification', {
  url: like(story.url),
  form: BodyForm,
  started_at: time,
  duration_ms: like(184, Type.Integer()),
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
      examples: [null],
    }),
  ),
  lines: Type.Array(
    reply('ReceiverLine', {
      name: like('data-form'),
      group: words(Object.keys(groups) as Group[]),
      title: like('accepts a genuine webhook', 'Completes the sentence "The receiver …".'),
      outcome: words(outcomes),
      sent: like('A genuine webhook in the form `data`.'),
      expected: like('Any status from 200 to 299.'),
      got: like('200 after 12 ms.', 'What came; for a skipped line, why it was skipped.'),
      why: like('Any 2xx counts as delivered.'),
      fix: like('Answer 200 as soon as the webhook is verified.'),
    }),
  ),
});

/**
 * Tests a midoffice's receiver with all kinds of webhooks and reports the results. This is neither the check
 * of a URL, which does not call the receiver, nor the partner's certification, which people record.
 */
export async function certifyReceiver(
  { store, webhooks }: SupportEnvironment,
  actor: string,
  midofficeId: string,
  { form = 'both' }: Static<typeof ReceiverToCertify>,
): Promise<Static<typeof ReceiverCertification>> {
  await findMidoffice(store.db, midofficeId);
  const report = await webhooks.certifyReceiver(midofficeId, form);
  const { url, verdict, passed, warned, failed, skipped, cause, lines } = report;
  const named = (wanted: Outcome) =>
    lines.flatMap(({ outcome, name }) => (outcome === wanted ? [name] : []));
  await store.change(actor, ({ audit }) =>
    audit('midoffice.certify_receiver', midofficeId, null, {
      verdict,
      url,
      form,
      passed,
      warned,
      failed,
      skipped,
      cause,
      failed_lines: named('failed'),
      warned_lines: named('warned'),
    }),
  );
  return report;
}
