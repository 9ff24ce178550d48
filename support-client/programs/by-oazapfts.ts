/** Compiled by a test against what oazapfts generates; never run. */
import { createPartner, listDeliveries, reportOrderEvents, rotateKey } from './back-office.ts';
import { overviewGet } from './partner.ts';

export async function tour(): Promise<string> {
  const made = await createPartner('sandbox', {
    name: 'Acme',
    integration_started_on: '2026-01-31',
    is_new: true,
  });
  if (made.status === 422)
    return made.data.code satisfies 'validation_failed' | 'sandbox_not_offered';
  if (made.status !== 201) return made.data.detail;
  const rotated = await rotateKey('production', '1001');
  const key: string = rotated.status === 200 ? rotated.data.api_key : '';
  const reported = await reportOrderEvents('production', {
    events: [{ event_id: 'e1', type: 'created', partner_id: made.data.id, partner_order_id: 'o1' }],
  });
  const found = await listDeliveries('production', { limit: 10, state: 'exhausted' });
  const overview = await overviewGet();
  const endpoints =
    overview.status === 200 ? overview.data.data.map(({ endpoint }) => endpoint) : [];
  // @ts-expect-error: there is no such environment.
  await listDeliveries('staging');
  // @ts-expect-error: a partner needs a name.
  await createPartner('sandbox', { integration_started_on: '2026-01-31', is_new: true });
  return [key, reported.status, found.status, ...endpoints].join();
}
