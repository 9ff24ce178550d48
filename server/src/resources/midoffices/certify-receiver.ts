import type { Outcome } from '../../receiver-check/line.ts';
import type { CheckedForm } from '../../receiver-check/lines.ts';
import type { Report } from '../../receiver-check/report.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findMidoffice } from './midoffices.ts';

/**
 * Tests a midoffice's receiver with all kinds of webhooks and reports the results. This is neither the check
 * of a URL, which does not call the receiver, nor the partner's certification, which people record.
 */
export async function certifyReceiver(
  { store, webhooks }: SupportEnvironment,
  actor: string,
  midofficeId: string,
  { form = 'both' }: { form?: CheckedForm },
): Promise<Report> {
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
