/**
 * A Bellhop with much to read: a million deliveries, of which one partner has 300,000 and none of its is `cancelled`. And
 * with much to change: three midoffices have 100,000 deliveries each that were given up, or wait.
 */
import { join } from 'node:path';
import { withClient } from '../../kit/postgres.ts';
import { shardOf } from '../../server/src/delivery/queue.ts';
import { connect } from '../../server/src/store/sqlite/connection.ts';
import { support } from '../bellhop.ts';
import type { Session } from '../bench.ts';
import { STOCKED } from '../growth/fill.ts';
import { type EngineName, prepare, type StockedBellhop } from '../growth/stocked-bellhop.ts';
import { startNode } from '../processes.ts';

const SIZE = {
  delivered: 1_000_000,
  pending: 1_000,
  midoffices: 1_000,
  partners: 1_000,
  keys: 100_000,
  audit: 1_000_000,
};
const DUE_IN_MS = 12 * 3_600_000;

const ONE_PARTNER = `update delivery set partner_id = '${STOCKED.partner}', type = 'created' where seq % 10 < 3`;

export interface BackloggedMidoffices {
  /** Both have exhausted deliveries. */
  recovered: string;
  retried: string;
  /** Its deliveries wait for their last attempt. */
  waiting: string;
}

export interface MuchStocked extends StockedBellhop {
  backlogged: BackloggedMidoffices;
}

export async function prepareMuch(
  session: Session,
  engine: EngineName,
  receiver: string,
): Promise<MuchStocked> {
  const stocked = await prepare(session, engine, receiver, SIZE);
  const [, recovered, retried, waiting] = stocked.midoffices.ids as string[] as [
    string,
    string,
    string,
    string,
  ];
  const backlogged = { recovered, retried, waiting };
  const silent = await startNode(session, 'bench/servers/silent-receiver.ts', []);
  const first = await stocked.start();
  for (const id of Object.values(backlogged)) {
    await support(first, 'PATCH', `/midoffices/${id}`, { url: `${silent.ready}/hook` });
  }
  await first.stop();
  const statements = [ONE_PARTNER, ...backlog(stocked.midoffices.partnerId, backlogged)];
  if (stocked.database) {
    await withClient(stocked.database.url, async (client) => {
      await client.query('set search_path to bellhop');
      for (const statement of statements) await client.query(statement);
      await client.query('vacuum analyze');
    });
  } else {
    const connection = connect(join(stocked.folder, 'sandbox', 'bellhop.db'));
    for (const statement of statements) connection.exec(statement);
    connection.close();
  }
  return { ...stocked, backlogged };
}

/** Of the delivered ones, 300,000. */
function backlog(
  partnerId: string,
  { recovered, retried, waiting }: BackloggedMidoffices,
): string[] {
  const dueAtMs = Date.now() + DUE_IN_MS;
  return [
    `delete from given_up where seq % 10 in (3, 4, 5)`,
    `update delivery set partner_id = '${partnerId}',
            midoffice_id = case seq % 10 when 3 then '${recovered}' when 4 then '${retried}' else '${waiting}' end
      where seq % 10 in (3, 4, 5)`,
    `insert into given_up (seq, midoffice_id, partner_id, state, at, why, last_result)
     select seq, midoffice_id, partner_id, 'exhausted', accepted_at + 20, null, 'timeout'
       from delivery where midoffice_id in ('${recovered}', '${retried}') and event_id like 'old-%'`,
    `insert into pending (seq, shard, midoffice_id, due_at, retries_used, attempts_made)
     select seq, ${shardOf(waiting)}, midoffice_id, ${dueAtMs} + seq, 21, 1
       from delivery where midoffice_id = '${waiting}' and event_id like 'old-%'`,
  ];
}
