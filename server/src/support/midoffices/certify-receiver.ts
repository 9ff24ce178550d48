import type { CheckedForm } from '../../receiver-check/lines.ts';
import type { Report } from '../../receiver-check/report.ts';
import type { Desk } from '../environment.ts';
import { findMidoffice } from './midoffices.ts';

/**
 * Plays the service against a midoffice's receiver and reports. Not to be confused with the check of
 * a URL as it is typed, which calls nobody, nor with the partner's certification, which it may lead to.
 */
export async function certifyReceiver(
  desk: Desk,
  actor: string,
  midofficeId: string,
  { form = 'both' }: { form?: CheckedForm },
): Promise<Report> {
  await findMidoffice(desk.store.db, midofficeId);
  const report = await desk.webhooks.certifyReceiver(midofficeId, form);
  const { url, verdict, passed, failed, skipped, lines } = report;
  const failed_lines = lines.flatMap(({ outcome, name }) => (outcome === 'failed' ? [name] : []));
  await desk.store.change(actor, ({ audit }) =>
    audit('midoffice.certify_receiver', midofficeId, null, {
      verdict,
      url,
      form,
      passed,
      failed,
      skipped,
      failed_lines,
    }),
  );
  return report;
}
