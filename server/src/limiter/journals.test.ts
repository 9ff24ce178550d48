/** What the limiters keep between runs, in the databases that keep it. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../../test/support.ts';
import { silentLog } from '../../testing/silent-log.ts';
import { systemClock } from '../base/clock.ts';
import { Vault } from '../base/sealing/vault.ts';
import { openPostgresStore } from '../store/postgres/open.ts';
import { sqliteAdmissions } from '../store/sqlite/admissions.ts';
import type { Admission, AdmissionJournal } from './limiter.ts';
import { createMemoryLimiter } from './memory-limiter.ts';

const bare: Admission = { keyId: '7', endpoint: 'overview/', atMs: 1_000, keepUntilMs: 9_000 };
const window = { requests: 100, spanMs: 8_000 };
const past = { requests: 1_000_000, spanMs: 2_678_400_000, untilMs: 1_769_860_800_000 };
const WRITTEN: Admission[] = [
  { ...bare, window },
  { ...bare, window: { requests: 10, spanMs: 1_000 }, past },
  { ...bare, window, restatedAtMs: 2_000 },
  { ...bare, window, id: 'node.1abc', epoch: 'epoch' },
  { ...bare, window, past, id: 'node.1abd' },
];

async function read(journal: AdmissionJournal): Promise<Admission[]> {
  const admissions: Admission[] = [];
  for await (const admission of journal.load(0)) admissions.push(admission);
  return admissions;
}

/** Three of an older version, from ten seconds ago, on a window of a day. */
function olderAdmissions() {
  const atMs = Date.now() - 10_000;
  return [0, 1, 2].map((n) => ({ ...bare, atMs: atMs + n, keepUntilMs: atMs + 86_400_000 }));
}

async function expectThreeCounted(journal: AdmissionJournal): Promise<void> {
  const day = { requests: 4, seconds: 86_400 };
  const limiter = await createMemoryLimiter({ clock: systemClock, journal });
  expect(await limiter.standing('7', 'overview/', day)).toMatchObject({ remaining: 1 });
  await limiter.admit('7', 'overview/', day);
  expect(await limiter.admit('7', 'overview/', day)).toMatchObject({ admitted: false });
  await limiter.close();
}

test('embedded: everything comes back, and rows of older versions still count', async () => {
  const file = join(await temporaryFolder(), 'admissions.db');
  const journal = sqliteAdmissions(file);
  await journal.append(WRITTEN);
  expect(await read(journal)).toEqual(WRITTEN);

  const rows = olderAdmissions().map((a) => [a.keyId, a.endpoint, a.atMs, a.keepUntilMs]);
  const database = new DatabaseSync(file);
  database
    .prepare('insert into admitted (keep_until_ms, admissions) values (?, ?)')
    .run(Date.now() + 86_400_000, JSON.stringify(rows));
  database.close();
  await expectThreeCounted(journal);
  await journal.close();
});

describeWithPostgres('PostgreSQL', (_empty, databaseWithTables) => {
  test('everything comes back, and rows of older versions still count', async () => {
    const url = await databaseWithTables();
    const store = await openPostgresStore({
      ...{ url, environment: 'sandbox', clock: systemClock },
      vault: new Vault(Buffer.alloc(32), 'sandbox'),
      log: silentLog(),
    });
    await store.admissions.append(WRITTEN);
    expect(await read(store.admissions)).toEqual(WRITTEN);

    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const { keyId, endpoint, atMs, keepUntilMs } of olderAdmissions()) {
      await client.query(
        `insert into bellhop.admission (key_id, endpoint, at_ms, keep_until_ms)
         values ($1, $2, $3, $4)`,
        [keyId, endpoint, atMs, keepUntilMs],
      );
    }
    await client.end();
    await expectThreeCounted(store.admissions);
    await store.close();
  });
});
