/** Refused and failed calls as support and partners read them, and how many are kept. */
import { sql } from 'kysely';
import type { RecordedCall } from '../gateway/recorded-calls/recorded-call.ts';
import type { Database } from './schema.ts';
import { readNewest, type Slice } from './slice.ts';

/** A filter by key or partner alone finds calls of that key or partner, whatever else is asked for. */
export interface CallFilter {
  keyId?: string | undefined;
  partnerId?: string | undefined;
  requestId?: string | undefined;
  code?: string | undefined;
  endpoint?: string | undefined;
  address?: string | undefined;
  /** Both ends are included. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

export async function readCalls(
  db: Database,
  filter: CallFilter,
  slice: Slice,
): Promise<RecordedCall[]> {
  return readNewest(matching(db, filter).selectAll(), slice, { time: 'at', id: 'request_id' });
}

function matching(db: Database, filter: CallFilter) {
  let query = db.selectFrom('recorded_call');
  for (const [name, column] of Object.entries(columnOf)) {
    const value = filter[name as keyof typeof columnOf];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (filter.sinceMs !== undefined) query = query.where('at', '>=', filter.sinceMs);
  if (filter.untilMs !== undefined) query = query.where('at', '<=', filter.untilMs);
  return query;
}

export interface CodeCount {
  code: string;
  status: number;
  /** What its lines stand for. */
  calls: number;
  lines: number;
}

/** The newest `mostLines` by the reply that they got, the most frequent first. */
export async function countByCode(
  db: Database,
  filter: CallFilter,
  mostLines: number,
): Promise<CodeCount[]> {
  const newest = matching(db, filter)
    .select(['code', 'status', 'sampled_from'])
    .orderBy('at', 'desc')
    .orderBy('request_id', 'desc')
    .limit(mostLines);
  const rows = await db
    .selectFrom(newest.as('newest'))
    .select(['code', 'status'])
    .select(({ fn }) => [
      fn.sum<number>('sampled_from').as('calls'),
      fn.countAll<number>().as('lines'),
    ])
    .groupBy(['code', 'status'])
    .execute();
  // PostgreSQL returns sums and counts as text.
  const counts = rows.map((row) => ({
    ...row,
    calls: Number(row.calls),
    lines: Number(row.lines),
  }));
  return counts.sort((a, b) => b.calls - a.calls || a.code.localeCompare(b.code));
}

export interface RefusedLikeIt {
  keyId: string;
  endpoint: string | null;
  code: string;
  fromMs: number;
  untilMs: number;
}

/** How many calls of a key were refused for one reason, by address. A key has at most `MOST_OF_A_KEY` lines. */
export async function countByAddress(
  db: Database,
  { keyId, endpoint, code, fromMs, untilMs }: RefusedLikeIt,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('recorded_call')
    .select((select) => ['address', select.fn.sum<number>('sampled_from').as('calls')])
    .where('key_id', '=', keyId)
    .where('at', '>=', fromMs)
    .where('at', '<', untilMs)
    .where('endpoint', '=', endpoint)
    .where('code', '=', code)
    .groupBy('address')
    .execute();
  // PostgreSQL returns sums as text.
  return new Map(rows.map(({ address, calls }) => [address, Number(calls)]));
}

const columnOf = {
  keyId: 'key_id',
  partnerId: 'partner_id',
  requestId: 'request_id',
  code: 'code',
  endpoint: 'endpoint',
  address: 'address',
} as const satisfies Partial<Record<keyof CallFilter, keyof RecordedCall>>;

/** The columns in one order for both engines, with their types in PostgreSQL. */
export const callColumns = {
  request_id: 'text',
  at: 'bigint',
  key_id: 'text',
  partner_id: 'text',
  signed_in: 'integer',
  given_key_id: 'text',
  given_api_key: 'text',
  endpoint: 'text',
  path: 'text',
  method: 'text',
  code: 'text',
  status: 'integer',
  requests_number: 'integer',
  seconds_number: 'integer',
  remaining: 'integer',
  resets_at: 'bigint',
  address: 'text',
  upstream_status: 'integer',
  upstream_ms: 'double precision',
  duration_ms: 'double precision',
  sampled_from: 'bigint',
} as const satisfies Record<keyof RecordedCall, string>;

export const callColumnNames = Object.keys(callColumns) as (keyof RecordedCall)[];

/** The newest calls that are kept of each caller, as far as their retention allows. */
export const MOST_OF_A_KEY = 1_000;
/** With the id of a key but not its API key: strangers must not displace what the partner did. */
export const MOST_FAILED_SIGN_INS = 200;
export const MOST_OF_STRANGERS = 10_000;
/** In an environment. About 200 MB, and an unlucky filter reads all of them. */
export const MOST_CALLS = 200_000;
/** So many more than the first three may be there: looking for them costs more than writing a call. */
const TRIMMED_AFTER = 100;

/** Whose calls are counted together: a key, those who gave its id with a wrong API key, or all strangers. */
export type CallOwner = Pick<RecordedCall, 'key_id' | 'signed_in'>;

export function mostOf({ key_id, signed_in }: CallOwner): number {
  if (key_id === '') return MOST_OF_STRANGERS;
  return signed_in === 1 ? MOST_OF_A_KEY : MOST_FAILED_SIGN_INS;
}

/** More owners than this are forgotten, and trimmed once more than necessary. */
const REMEMBERED_OWNERS = 10_000;

/** Says after which calls it is time to trim: at an owner's first ones since the start, then every 100. */
export class Trimming {
  readonly #writtenSince = new Map<string, number>();

  dueAfter(calls: readonly RecordedCall[]): CallOwner[] {
    const due = new Map<string, CallOwner>();
    for (const { key_id, signed_in } of calls) {
      const id = `${key_id} ${signed_in}`;
      const written = (this.#writtenSince.get(id) ?? TRIMMED_AFTER) + 1;
      if (written > TRIMMED_AFTER) due.set(id, { key_id, signed_in });
      this.#writtenSince.set(id, written > TRIMMED_AFTER ? 0 : written);
    }
    if (this.#writtenSince.size > REMEMBERED_OWNERS) this.#writtenSince.clear();
    return [...due.values()];
  }
}

/** Deletes what an owner has beyond its newest; the parameters are the fields of the owner and how many are kept. */
export function trimSql(parameter: (n: number) => string): string {
  const ofOwner = `key_id = ${parameter(1)} and signed_in = ${parameter(2)}`;
  return `
    delete from recorded_call
     where ${ofOwner} and (at, request_id) <= (
       select at, request_id from recorded_call where ${ofOwner}
        order by at desc, request_id desc limit 1 offset ${parameter(3)})`;
}

/** Rows deleted in one statement. Few, so that neither flow has to wait. */
const DELETED_AT_ONCE = 500;

/** Deletes a batch of what is older; false if nothing is left to delete. */
export async function deleteOldCalls(db: Database, cutoffMs: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from recorded_call where request_id in (
      select request_id from recorded_call where at < ${cutoffMs}
       order by at limit ${sql.lit(DELETED_AT_ONCE)})`.execute(db);
  return Number(numAffectedRows) === DELETED_AT_ONCE;
}

/** Calls of before this time are more than are kept. It reads as many index entries as there are calls. */
export async function cutoffOfCalls(db: Database, mostCalls = MOST_CALLS): Promise<number> {
  const surplus = await db
    .selectFrom('recorded_call')
    .select('at')
    .orderBy('at', 'desc')
    .orderBy('request_id', 'desc')
    .offset(mostCalls)
    .limit(1)
    .executeTakeFirst();
  return surplus === undefined ? 0 : surplus.at + 1;
}
