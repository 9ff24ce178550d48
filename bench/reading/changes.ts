/** What one request of support changes for very many deliveries, and a clock that is set back. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bellhop, support } from '../bellhop.ts';
import { STOCKED } from '../growth/fill.ts';
import type { EngineName } from '../growth/stocked-bellhop.ts';
import type { BackloggedMidoffices } from './stock.ts';

export interface Change {
  name: string;
  /** Returns how many it changed. */
  run(bellhop: Bellhop): Promise<number | undefined>;
  /** It goes on after the reply. */
  goesOn?: boolean;
}

const HOUR_MS = 3_600_000;
const SINCE = { since: '2020-01-01T00:00:00Z' };

/** The midoffices' receiver does not answer, so that what is sent stays pending. */
export function changes(
  engine: EngineName,
  { recovered, retried, waiting }: BackloggedMidoffices,
  probeFolder: string,
): Change[] {
  const recover = (id: string, body: object) => (bellhop: Bellhop) =>
    post(bellhop, `/midoffices/${id}/recovery`, { ...SINCE, ...body });
  const inBulk = (action: string, filter: Record<string, string>) => async (bellhop: Bellhop) => {
    const path = `/deliveries/count?${new URLSearchParams({ ...filter, up_to: '1000000' })}`;
    const { count } = await support<{ count: number }>(bellhop, 'GET', path);
    return post(bellhop, '/deliveries/bulk', { action, filter, expected: count });
  };
  const order = (delivery_order: string): Change => ({
    name: `delivery_order: ${delivery_order}`,
    goesOn: true,
    async run(bellhop) {
      await support(bellhop, 'PATCH', `/midoffices/${waiting}`, { delivery_order });
      return undefined;
    },
  });
  return [
    { name: 'recovery, only counted', run: recover(recovered, { dry_run: true }) },
    { name: 'recovery', run: recover(recovered, {}) },
    { name: 'retry in bulk', run: inBulk('retry', { state: 'exhausted', midoffice_id: retried }) },
    {
      name: 'acknowledge in bulk',
      run: inBulk('acknowledge', { state: 'exhausted', partner_id: STOCKED.partner }),
    },
    {
      name: 'send-pending',
      run: (bellhop) => post(bellhop, `/midoffices/${waiting}/send-pending`),
    },
    order('per_order'),
    order('any'),
    ...(engine === 'embedded' ? [clockSetBack(probeFolder)] : []),
    { name: 'cancel in bulk', run: inBulk('cancel', { state: 'pending', midoffice_id: waiting }) },
  ];
}

/** Only the embedded engine uses the clock of the process. */
function clockSetBack(probeFolder: string): Change {
  return {
    name: 'clock set back by an hour',
    goesOn: true,
    async run() {
      await writeFile(join(probeFolder, 'clock'), String(-HOUR_MS));
      return undefined;
    },
  };
}

async function post(bellhop: Bellhop, path: string, body: object = {}): Promise<number> {
  const [count] = Object.values(await support<Record<string, number>>(bellhop, 'POST', path, body));
  return count as number;
}
