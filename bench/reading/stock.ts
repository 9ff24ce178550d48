/** A Bellhop with much to read: a million deliveries, of which one partner has 300,000 and none of its is `cancelled`. */
import { join } from 'node:path';
import { withClient } from '../../kit/postgres.ts';
import { connect } from '../../server/src/store/sqlite/connection.ts';
import type { Session } from '../bench.ts';
import { STOCKED } from '../growth/fill.ts';
import { type EngineName, prepare, type StockedBellhop } from '../growth/stocked-bellhop.ts';

const SIZE = {
  delivered: 1_000_000,
  pending: 1_000,
  midoffices: 1_000,
  partners: 1_000,
  keys: 100_000,
  audit: 1_000_000,
};

const ONE_PARTNER = `update delivery set partner_id = '${STOCKED.partner}', type = 'created' where seq % 10 < 3`;

export async function prepareMuch(
  session: Session,
  engine: EngineName,
  receiver: string,
): Promise<StockedBellhop> {
  const stocked = await prepare(session, engine, receiver, SIZE);
  if (stocked.database) {
    await withClient(stocked.database.url, async (client) => {
      await client.query(`set search_path to bellhop; ${ONE_PARTNER}`);
      await client.query('vacuum analyze');
    });
  } else {
    const connection = connect(join(stocked.folder, 'sandbox', 'bellhop.db'));
    connection.exec(ONE_PARTNER);
    connection.close();
  }
  return stocked;
}
