/** Pages that a disk lost or overwrote are found when Bellhop starts, or when it reads them. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  cpSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support.ts';
import { fill, partner } from '../../../testing/conformance/store.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/config/config.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Vault } from '../../base/sealing/vault.ts';
import { storageTroubles } from '../storage-trouble.ts';
import type { Store } from '../store.ts';
import { CHECKED_BEFORE_READY_BYTES } from './damage-check.ts';
import { openSqliteStore } from './open.ts';

const PAGE_BYTES = 4_096;
const EVENTS = 3_000;
/** Pages of each kind that are tried, one at a time. */
const TRIES = 6;

const vault = new Vault(randomBytes(32), 'production');
const options = { environment: 'production', vault, clock: systemClock } as const;

const event = (eventId: string) => ({
  event_id: eventId,
  type: 'created' as const,
  partner_id: partner.id,
  partner_order_id: eventId,
});

const accept = (store: Store, ids: string[]) =>
  store.orders.accept([ids.map(event)], 0, () => undefined);

/** A closed store with every kind of page. */
async function filledFolder(): Promise<string> {
  const folder = join(await temporaryFolder(), 'production');
  const store = await openSqliteStore({ folder, ...options });
  await fill(store);
  await accept(
    store,
    Array.from({ length: EVENTS }, (_, i) => `event ${i}`),
  );
  await store.close();
  const connection = new DatabaseSync(join(folder, 'bellhop.db'));
  // Long texts need overflow pages. Deleted ones leave free pages.
  const insert = connection.prepare('insert into meta (name, value) values (?, ?)');
  for (let i = 0; i < 40; i++) insert.run(`long ${i}`, 'x'.repeat(40_000));
  connection.exec("delete from meta where name like 'long %' and name > 'long 2'");
  connection.close();
  return folder;
}

type PageKind = 'interior' | 'leaf of a table' | 'leaf of an index' | 'overflow' | 'freelist';

function pagesOf(file: string): Record<PageKind, number[]> {
  const connection = new DatabaseSync(file);
  const pages = connection.prepare('select name, pageno, pagetype from dbstat').all() as {
    name: string;
    pageno: number;
    pagetype: string;
  }[];
  const indexes = connection.prepare("select name from sqlite_schema where type = 'index'").all();
  connection.close();
  const isIndex = new Set(indexes.map(({ name }) => name as string));
  const numbers = (matches: (page: (typeof pages)[number]) => boolean) =>
    pages.filter(matches).map(({ pageno }) => pageno);
  return {
    interior: numbers((page) => page.pagetype === 'internal'),
    'leaf of a table': numbers((page) => page.pagetype === 'leaf' && !isIndex.has(page.name)),
    'leaf of an index': numbers((page) => page.pagetype === 'leaf' && isIndex.has(page.name)),
    overflow: numbers((page) => page.pagetype === 'overflow'),
    // The header names the first page of the list. The pages that it lists have no content to lose.
    freelist: [readFileSync(file).readUInt32BE(32)],
  };
}

/** Of one table or index. */
function pagesIn(file: string, name: string): number[] {
  const connection = new DatabaseSync(file, { readOnly: true });
  const rows = connection.prepare('select pageno from dbstat where name = ?').all(name);
  connection.close();
  return rows.map(({ pageno }) => pageno as number);
}

function overwrite(file: string, page: number, bytes = randomBytes(PAGE_BYTES)): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, (page - 1) * PAGE_BYTES);
  closeSync(descriptor);
}

function logTo(lines: { msg: string }[]) {
  return createLogger('info', (line) => void lines.push(JSON.parse(line)));
}

describe('a damaged page is found at the start', () => {
  let folder: string;
  let pages: Record<PageKind, number[]>;
  beforeAll(async () => {
    folder = await filledFolder();
    pages = pagesOf(join(folder, 'bellhop.db'));
  });

  test.each<PageKind>(['interior', 'leaf of a table', 'leaf of an index', 'overflow', 'freelist'])(
    '%s',
    async (kind) => {
      const numbers = pages[kind];
      expect(numbers[0]).toBeGreaterThan(0);
      const step = Math.max(1, Math.floor(numbers.length / TRIES));
      for (let i = 0; i < numbers.length; i += step) {
        const copy = join(await temporaryFolder(), 'copy');
        cpSync(folder, copy, { recursive: true });
        const file = join(copy, 'bellhop.db');
        overwrite(file, numbers[i] as number);
        const opened = openSqliteStore({ folder: copy, ...options });
        const refused = await opened.then(
          () => `page ${numbers[i]} was not missed`,
          (error: unknown) => error,
        );
        expect(refused).toBeInstanceOf(ConfigError);
        const { message } = refused as ConfigError;
        expect(message).toMatch(`${file} is damaged`);
        expect(message).toMatch(
          /; restore a backup \(docs\/operating\/damaged-database\.md\) and start Bellhop again\.$/,
        );
      }
    },
  );

  test('a file that was cut short', async () => {
    const copy = join(await temporaryFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    const file = join(copy, 'bellhop.db');
    truncateSync(file, Math.floor(statSync(file).size / 2 / PAGE_BYTES) * PAGE_BYTES);
    await expect(openSqliteStore({ folder: copy, ...options })).rejects.toThrow('is damaged');
  });

  test('a file that was emptied', async () => {
    const copy = join(await temporaryFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    truncateSync(join(copy, 'bellhop.db'), 0);
    await expect(openSqliteStore({ folder: copy, ...options })).rejects.toThrow(
      /is damaged .*it is empty, although .*admissions\.db is not/,
    );
  });

  test('an empty file that a first start left behind is no damage', async () => {
    const first = await temporaryFolder();
    writeFileSync(join(first, 'bellhop.db'), '');
    const store = await openSqliteStore({ folder: first, ...options });
    await store.close();
  });
});

test('damage found while Bellhop runs stops the writes of all who use the folder, with one line in the log', async () => {
  const folder = await filledFolder();
  const file = join(folder, 'bellhop.db');
  const lines: { msg: string }[] = [];
  const store = await openSqliteStore({ folder, ...options, log: logTo(lines) });
  const attached = await openSqliteStore({ folder, ...options, attach: true, log: logTo(lines) });
  onTestFinished(async () => {
    await attached.close();
    await store.close();
  });
  for (const page of pagesIn(file, 'delivery_event_id')) overwrite(file, page);
  const ids = Array.from({ length: 100 }, (_, i) => `event ${i * 29}`);
  await expect(accept(attached, ids)).rejects.toMatchObject({ errcode: 11 });
  // From now on nothing is even tried.
  const refusal = { trouble: 'storage_damaged', message: storageTroubles.storage_damaged };
  await expect(accept(attached, ['new'])).rejects.toMatchObject(refusal);
  const isKnown = () => expect(store.storageTrouble()).toBe(storageTroubles.storage_damaged);
  await vi.waitFor(isKnown, 15_000);
  for (const each of [store, attached]) {
    await expect(each.ping()).rejects.toMatchObject(refusal);
    const change = each.change('test', ({ audit }) => audit('test', 'x', null, null));
    await expect(change).rejects.toMatchObject(refusal);
    // Reads of intact pages still work.
    expect(await each.db.selectFrom('partner').select('id').execute()).toEqual([
      { id: partner.id },
    ]);
  }
  expect(lines.map(({ msg }) => msg)).toEqual([storageTroubles.storage_damaged]);
});

test('a damaged sign-in table is reported, too', async () => {
  const folder = await filledFolder();
  const file = join(folder, 'bellhop.db');
  const store = await openSqliteStore({ folder, ...options });
  onTestFinished(() => store.close());
  for (const page of pagesIn(file, 'sqlite_autoindex_api_key_1')) overwrite(file, page);
  await expect(async () => store.keys.find('any')).rejects.toThrow();
  expect(store.storageTrouble()).toBe(storageTroubles.storage_damaged);
});

describe('a database that is too large to be checked before the start', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await filledFolder();
    const connection = new DatabaseSync(join(folder, 'bellhop.db'));
    connection.exec(`
      insert into meta (name, value) values ('large', hex(zeroblob(${CHECKED_BEFORE_READY_BYTES})))`);
    connection.close();
  });

  test('is checked afterwards', async () => {
    const lines: { msg: string }[] = [];
    const store = await openSqliteStore({ folder, ...options, log: logTo(lines) });
    const checked = () => expect(lines.map(({ msg }) => msg)).toHaveLength(1);
    await vi.waitFor(checked, 20_000);
    expect(lines[0]?.msg).toBe('The database was checked; it is not damaged.');
    expect(store.storageTrouble()).toBeUndefined();
    await store.close();
  });

  test('and found to be damaged', async () => {
    const file = join(folder, 'bellhop.db');
    const copy = `${file}.copy`;
    copyFileSync(file, copy);
    const damaged = pagesOf(file)['leaf of an index'].at(-1) as number;
    overwrite(file, damaged);
    const lines: { msg: string }[] = [];
    const store = await openSqliteStore({ folder, ...options, log: logTo(lines) });
    await vi.waitFor(() => expect(store.storageTrouble()).toBeDefined(), 20_000);
    expect(store.storageTrouble()).toBe(storageTroubles.storage_damaged);
    expect(JSON.stringify(lines)).toContain(`${file}: `);
    await store.close();
    copyFileSync(copy, file);
  });

  test('does not delay a stop', async () => {
    const store = await openSqliteStore({ folder, ...options });
    await store.close();
  });
});

test('a damaged write-ahead log keeps what was committed before the damage', async () => {
  const folder = join(await temporaryFolder(), 'production');
  const store = await openSqliteStore({ folder, ...options });
  await fill(store);
  const file = join(folder, 'bellhop.db');
  await accept(store, ['first']);
  const damageAt = statSync(`${file}-wal`).size;
  await accept(store, ['second']);
  await accept(store, ['third']);
  const copy = join(await temporaryFolder(), 'copy');
  cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('-shm') });
  await store.close();
  const wal = openSync(join(copy, 'bellhop.db-wal'), 'r+');
  writeSync(wal, randomBytes(64), 0, 64, damageAt + 100);
  closeSync(wal);
  const opened = await openSqliteStore({ folder: copy, ...options });
  onTestFinished(() => opened.close());
  const rows = await opened.db.selectFrom('delivery').select('event_id').execute();
  // SQLite cannot tell a damaged log from one that a power cut ended there, so the rest is ignored.
  expect(rows).toEqual([{ event_id: 'first' }]);
});
