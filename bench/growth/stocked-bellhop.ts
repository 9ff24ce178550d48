/** A Bellhop that can be started on a database with a given stock, on each engine. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bellhop, startBellhop } from '../bellhop.ts';
import type { Session } from '../bench.ts';
import { storeKeys, storeKeysPostgres } from '../keys.ts';
import { createMidoffices, type Midoffices } from '../midoffices.ts';
import { type Database, type Postgres, startPostgres } from '../postgres.ts';
import { fillEmbedded, fillPostgres } from './fill.ts';
import type { StockSize } from './stock-size.ts';

export const engines = ['embedded', 'PostgreSQL'] as const;
export type EngineName = (typeof engines)[number];

/** Midoffices that deliver in the measurements. The others only exist. */
const DELIVERING = 10;
const IN_FLIGHT_EACH = 8;
/** Keys that call in the measurements. The others only exist. */
const MOST_CALLING = 10_000;
/** With the default settings, this would measure how small the cache is, and not the queries. */
const POSTGRES_SETTINGS = [
  'shared_buffers=1GB',
  'max_wal_size=8GB',
  'maintenance_work_mem=512MB',
  'effective_cache_size=4GB',
];

export interface StockedBellhop {
  engine: EngineName;
  folder: string;
  postgres?: Postgres;
  database?: Database;
  midoffices: Midoffices;
  /** A file with an Authorization value on each line. */
  authorizations: string;
  start(env?: Record<string, string>): Promise<Bellhop>;
}

export async function prepare(
  session: Session,
  engine: EngineName,
  receiver: string,
  size: StockSize,
): Promise<StockedBellhop> {
  const folder = await session.folder();
  const postgres =
    engine === 'PostgreSQL' ? await startPostgres(session, POSTGRES_SETTINGS) : undefined;
  const database = await postgres?.newDatabase();
  const start = (env: Record<string, string> = {}) =>
    startBellhop(session, folder, {
      BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
      BELLHOP_ENVIRONMENTS: 'sandbox',
      ...database?.env,
      ...env,
    });
  const first = await start();
  const urls = Array.from({ length: DELIVERING }, () => `${receiver}/hook`);
  const midoffices = await createMidoffices(first, urls, IN_FLIGHT_EACH);
  await first.stop();
  session.progress('filling the database');
  const calling = Math.min(size.keys, MOST_CALLING);
  const unlimited = <G>(grant: G) => ({ ...grant, is_limited: false });
  const keys = database
    ? await storeKeysPostgres(database, calling, unlimited)
    : await storeKeys(folder, calling, unlimited);
  const stored = { ...size, keys: size.keys - calling };
  if (database) await fillPostgres(database, midoffices, stored);
  else await fillEmbedded(folder, midoffices, stored);
  const authorizations = join(folder, 'authorizations');
  await writeFile(authorizations, `${keys.join('\n')}\n`);
  return { engine, folder, postgres, database, midoffices, authorizations, start };
}
