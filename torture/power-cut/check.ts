/** Opens an image as Bellhop would after the power is back, and looks for what was promised before the cut. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../server/src/base/clock.ts';
import { Vault } from '../../server/src/base/sealing/vault.ts';
import { openSqliteBackOffice } from '../../server/src/store/back-office/sqlite.ts';
import { openSqliteStore } from '../../server/src/store/sqlite/open.ts';
import type { Store } from '../../server/src/store/store.ts';
import { type Environment, madeBefore, type Promises } from './promises.ts';

export interface Checked {
  /** How many promises were made before the cut. */
  promised: number;
  /** Sentences; empty if everything is there. */
  broken: string[];
}

export async function checkImage(
  dataDir: string,
  masterKey: Buffer,
  promises: Promises,
  cutAtMs: number,
): Promise<Checked> {
  const found: Checked = { promised: 0, broken: [] };
  try {
    for (const name of ['sandbox', 'production'] as const) {
      const vault = new Vault(masterKey, name);
      const folder = join(dataDir, name);
      const store = await openSqliteStore({ folder, environment: name, vault, clock: systemClock });
      try {
        await checkEvents(store, name, promises, cutAtMs, found);
        await checkAdmissions(store, name, promises, cutAtMs, found);
        await checkChanges(store, name, promises, cutAtMs, found);
        if (name === 'production') await checkTokens(store, dataDir, promises, cutAtMs, found);
      } finally {
        await store.close();
      }
      for (const file of ['bellhop.db', 'admissions.db']) checkIntegrity(join(folder, file), found);
    }
    checkIntegrity(join(dataDir, 'back-office.db'), found);
  } catch (error) {
    found.broken.push(`The image cannot be opened: ${(error as Error).stack}`);
  }
  return found;
}

async function checkEvents(
  store: Store,
  environment: Environment,
  { events, arrivalsMs }: Promises,
  cutAtMs: number,
  found: Checked,
): Promise<void> {
  const rows = await store.db
    .selectFrom('delivery as d')
    .leftJoin('pending as p', 'p.seq', 'd.seq')
    .leftJoin('given_up as g', 'g.seq', 'd.seq')
    .leftJoin('attempt as a', (join) =>
      join.onRef('a.delivery_seq', '=', 'd.seq').on('a.outcome', '=', 'delivered'),
    )
    .select(['d.event_id', 'p.seq as pending', 'g.seq as given_up', 'a.number as delivered'])
    .execute();
  const byId = new Map(rows.map((row) => [row.event_id, row]));
  for (const { eventId } of madeBefore(events, cutAtMs).filter(of(environment))) {
    found.promised++;
    if (!byId.has(eventId)) found.broken.push(`${environment}: the event ${eventId} is lost.`);
  }
  for (const { event_id, pending, given_up, delivered } of rows) {
    const places = [pending, given_up, delivered].filter((one) => one !== null).length;
    if (places !== 1) found.broken.push(`${environment}: ${event_id} is in ${places} places.`);
    const arrivedAtMs = arrivalsMs.get(`${environment} ${event_id}`);
    if (delivered !== null && !((arrivedAtMs ?? Number.POSITIVE_INFINITY) <= cutAtMs)) {
      found.broken.push(`${environment}: ${event_id} counts as delivered but had not arrived.`);
    }
  }
}

async function checkAdmissions(
  store: Store,
  environment: Environment,
  { admissions }: Promises,
  cutAtMs: number,
  found: Checked,
): Promise<void> {
  const counted = new Map<string, number>();
  for await (const { keyId } of store.admissions.load(0)) {
    counted.set(keyId, (counted.get(keyId) ?? 0) + 1);
  }
  const made = madeBefore(admissions, cutAtMs).filter(of(environment));
  found.promised += made.length;
  for (const [keyId, some] of Map.groupBy(made, (one) => one.keyId)) {
    const kept = counted.get(keyId) ?? 0;
    if (kept >= some.length) continue;
    found.broken.push(`${environment}: ${kept} of ${some.length} admissions of ${keyId} are left.`);
  }
}

async function checkChanges(
  store: Store,
  environment: Environment,
  { changes }: Promises,
  cutAtMs: number,
  found: Checked,
): Promise<void> {
  const made = madeBefore(changes, cutAtMs).filter(of(environment));
  found.promised += made.length;
  const rows = await store.db
    .selectFrom('audit')
    .select('after')
    .where('action', '=', 'partner.update')
    .execute();
  const names = new Set(rows.map(({ after }) => JSON.parse(after ?? '{}').name));
  for (const { name } of made) {
    if (!names.has(name)) found.broken.push(`${environment}: the change to "${name}" is lost.`);
  }
}

async function checkTokens(
  home: Store,
  dataDir: string,
  { tokens }: Promises,
  cutAtMs: number,
  found: Checked,
): Promise<void> {
  const parts = { dataDir, homeName: 'production', home, clock: systemClock } as const;
  const store = await openSqliteBackOffice({ ...parts, attach: false });
  try {
    const rows = await store.db.selectFrom('token').select('id').execute();
    const ids = new Set(rows.map(({ id }) => id));
    for (const { tokenId } of madeBefore(tokens, cutAtMs)) {
      found.promised++;
      if (!ids.has(tokenId)) found.broken.push(`The token ${tokenId} is lost.`);
    }
  } finally {
    await store.close();
  }
}

/** Complete, unlike the check at a start: it compares each index with its table. */
function checkIntegrity(file: string, found: Checked): void {
  const connection = new DatabaseSync(file);
  const verdict = connection.prepare('pragma integrity_check').get()?.integrity_check;
  connection.close();
  if (verdict !== 'ok') found.broken.push(`${file}: ${verdict}`);
}

function of(environment: Environment) {
  return (one: { environment: Environment }) => one.environment === environment;
}
