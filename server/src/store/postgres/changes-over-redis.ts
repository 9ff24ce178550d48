/**
 * The second way in which a node learns that another one changed a key: a stream in Redis, for a node that is cut off
 * from PostgreSQL. It could not look the key up again, so an entry says what the key is like now. Every node that reads
 * a change from PostgreSQL writes it there; what several have written does no harm. Entries are sealed: whoever can
 * write to Redis cannot give a key more than it has.
 */
import type { Clock } from '../../base/clock.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Log } from '../../base/log.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import type { StoredKey } from '../../gateway/keys.ts';
import { RedisLink } from '../../limiter/redis/link.ts';
import { script } from '../../limiter/redis/scripts.ts';

const READ_EVERY_MS = 200;
/** A change must arrive within a second, so what was read longer ago says nothing. */
const TRUST_MS = 900;
/** A node that reaches Redis tells what has changed in this time at least, and since it was there last. */
const TOLD_AGAIN_MS = 60_000;
/** About this many entries are kept, at least: more than a minute's, even if ten nodes write at each of their polls. */
const KEPT_ENTRIES = 4_000;
/** Grants of their own take a key 5 KB, and a reply of Redis may have 1 MiB. */
const KEYS_PER_ENTRY = 20;
const ENTRIES_AT_ONCE = 5;
/** Of more, such as an import, only the fact is told. Nodes without a database then know no key for certain. */
const MOST_KEYS = 1_000;
/** In place of a key id, which has digits only. */
const SEALED_AS = 'key changes';

/** Before any entry. */
const BEGINNING = '0-0';

/** Returns ids and entries in turns. */
const READ = script(`
local found = redis.call('XREAD', 'COUNT', ${ENTRIES_AT_ONCE}, 'STREAMS', KEYS[1], ARGV[1])
local flat = {}
if found then
  for _, entry in ipairs(found[1][2]) do
    flat[#flat + 1] = entry[1]
    flat[#flat + 1] = entry[2][2]
  end
end
return flat
`);

/** The newest id, the oldest, or none, and how many there are. */
const ENDS = script(`
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)
return { newest[1] and newest[1][1] or '${BEGINNING}', oldest[1] and oldest[1][1] or '${BEGINNING}', redis.call('XLEN', KEYS[1]) }
`);

/** Keys as they were in the database at a moment of its clock. */
export interface KeySnapshots {
  readAtMs: number;
  keys: StoredKey[];
  /** By the id of the set, the grants that these keys have, as JSON. */
  grants: Record<string, string>;
}

export interface ChangeEntry {
  /** Of keys and midoffices; undefined if everything may have changed. */
  ids: readonly string[] | undefined;
  snapshots?: KeySnapshots;
}

export interface ChangesOverRedis {
  /** Whether everything that reached Redis a moment ago was read here, or Redis is lost too and nothing can be. */
  mayGoOn(): boolean;
  /** The same, after one more read if it is not: a process that was stalled for a second has only not read yet. */
  becomesCurrent(): Promise<boolean>;
  /** Tells the other nodes. Redis may be away: then the node tells them when it is back. */
  publish(ids: readonly string[]): Promise<void>;
  close(): void;
}

export async function openChangesOverRedis(parts: {
  url: string;
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
  log: Log;
  /** The keys among these ids, as the database has them. */
  snapshots(ids: readonly string[]): Promise<KeySnapshots>;
  /** What the database says has changed since then. */
  changedSince(ms: number): Promise<readonly string[]>;
  onEntry(entry: ChangeEntry): void;
}): Promise<ChangesOverRedis> {
  const { environment, vault, clock, log, snapshots, onEntry } = parts;
  const key = `bellhop:{${environment}}:key-changes`;
  const link = new RedisLink(parts.url, key, clock, { prepare, lost });
  let cursor: string | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> | undefined;
  let isLost = false;
  let isClosed = false;

  function lost(): void {
    clearTimeout(timer);
    isLost = true;
  }

  /** After a connection was lost, entries may be missing that Redis has not taken or has forgotten. */
  async function prepare(): Promise<void> {
    const ends = await link.run(ENDS, [key], []);
    if (!Array.isArray(ends)) throw link.giveUp(new Error('it answered with something else'));
    const [newest, oldest] = ends.map(String) as [string, string];
    cursor ??= newest;
    const awayForMs = clock.monotonic() - readAtMs;
    const isDropped = isBefore(cursor, oldest);
    if (isDropped && Number(ends[2]) >= KEPT_ENTRIES) {
      cursor = newest;
      onEntry({ ids: undefined });
    } else if (cursor !== BEGINNING && (isDropped || isBefore(newest, cursor))) {
      // Redis has lost the entries. The other nodes tell it once more what has changed lately.
      cursor = BEGINNING;
      if (awayForMs > TOLD_AGAIN_MS) onEntry({ ids: undefined });
    }
    await read();
    isLost = false;
    const sinceMs = Number.isFinite(awayForMs) ? awayForMs + TOLD_AGAIN_MS : TOLD_AGAIN_MS;
    parts
      .changedSince(clock.now() - sinceMs)
      .then((ids) => publish(ids))
      .catch(() => {});
  }

  /** At most one read is under way, however many calls wait for it. */
  function read(): Promise<void> {
    reading ??= readOn().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function readOn(): Promise<void> {
    clearTimeout(timer);
    let flat: unknown;
    do {
      const askedAtMs = clock.monotonic();
      flat = await link.run(READ, [key], [cursor as string]);
      if (!Array.isArray(flat)) throw link.giveUp(new Error('it answered with something else'));
      for (let i = 0; i < flat.length; i += 2) {
        cursor = String(flat[i]);
        const entry = opened(String(flat[i + 1]));
        if (entry) onEntry(entry);
      }
      if (flat.length < 2 * ENTRIES_AT_ONCE) readAtMs = askedAtMs;
    } while (flat.length === 2 * ENTRIES_AT_ONCE);
    // A failure is the end of the connection, and the next one begins with a read.
    if (!isClosed) timer = setTimeout(() => read().catch(() => {}), READ_EVERY_MS).unref();
  }

  function opened(sealed: string): ChangeEntry | undefined {
    try {
      return JSON.parse(vault.open(SEALED_AS, sealed)) as ChangeEntry;
    } catch (error) {
      log.warn({ err: error }, 'a change of keys in Redis cannot be opened');
      return undefined;
    }
  }

  async function add(entry: ChangeEntry): Promise<void> {
    const sealed = vault.seal(SEALED_AS, JSON.stringify(entry));
    await link.send(['XADD', key, 'MAXLEN', '~', String(KEPT_ENTRIES), '*', 'entry', sealed]);
  }

  async function publish(ids: readonly string[]): Promise<void> {
    if (ids.length > MOST_KEYS) return add({ ids: undefined });
    for (let i = 0; i < ids.length; i += KEYS_PER_ENTRY) {
      const some = ids.slice(i, i + KEYS_PER_ENTRY);
      await add({ ids: some, snapshots: await snapshots(some) });
    }
  }

  function isCurrent(): boolean {
    return clock.monotonic() - readAtMs < TRUST_MS;
  }

  await link.connect();
  return {
    mayGoOn: () => isLost || isCurrent(),
    async becomesCurrent() {
      if (!isCurrent()) await read().catch(() => {});
      return isCurrent();
    },
    publish,
    close() {
      isClosed = true;
      clearTimeout(timer);
      link.close();
    },
  };
}

/** Of two ids, `milliseconds-number`: Redis has lost what came between them. */
function isBefore(one: string, other: string): boolean {
  const [ms = 0, number = 0] = one.split('-').map(Number);
  const [otherMs = 0, otherNumber = 0] = other.split('-').map(Number);
  return ms < otherMs || (ms === otherMs && number < otherNumber);
}
