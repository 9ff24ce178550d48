/**
 * The queue's tables in a real database without a worker: for tests of what support changes and reads, in
 * every state that a worker could leave behind.
 */
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import { databaseFolder, describeWithPostgres } from '../../test/support.ts';
import { createLogger } from '../src/base/logging/logger.ts';
import { shardOf } from '../src/delivery/queue.ts';
import type { DeliveryState } from '../src/delivery/states.ts';
import type { Engine } from '../src/store/engine.ts';
import { openPools } from '../src/store/postgres/pools.ts';
import { type QueueVerbs, queueVerbs } from '../src/store/queue/verbs.ts';
import type {
  AttemptRow,
  DeliveryRow,
  GivenUpRow,
  PendingRow,
  Schema,
} from '../src/store/schema.ts';
import { connect, kyselyOn } from '../src/store/sqlite/connection.ts';

export const NOW = Date.UTC(2026, 0, 31, 12);
export const LATER = NOW + 60_000;
export const MIDOFFICE = { id: 'mid_one', ordered: false };

/** `fresh` empties the database that all tests of a group share. */
export function describeOnEachDatabase(
  name: string,
  body: (fresh: () => Promise<QueueDatabase>, engine: Engine) => void,
): void {
  describe(`${name}, embedded`, () => body(shared(openSqlite), 'sqlite'));
  describeOnPostgres(`${name}, on PostgreSQL`, (fresh) => body(fresh, 'postgres'));
}

export function describeOnPostgres(
  name: string,
  body: (fresh: () => Promise<QueueDatabase>) => void,
): void {
  describeWithPostgres(name, (_empty, databaseWithTables) =>
    body(shared(async () => openPostgres(await databaseWithTables()))),
  );
}

function shared(open: () => Promise<Opened>): () => Promise<QueueDatabase> {
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  return async () => {
    const { db } = opened as Opened;
    for (const table of ['delivery', 'pending', 'given_up', 'attempt', 'partner'] as const) {
      await db.deleteFrom(table).execute();
    }
    return new QueueDatabase(db);
  };
}

interface Opened {
  db: Kysely<Schema>;
  close(): unknown;
}

async function openSqlite(): Promise<Opened> {
  const connection = connect(join(await databaseFolder(), 'bellhop.db'));
  const db = kyselyOn(connection);
  return { db, close: () => connection.close() };
}

async function openPostgres(url: string): Promise<Opened> {
  const pools = openPools({
    url,
    environment: 'production',
    sizes: { calls: 0, delivery: 0, leases: 0, general: 6, watch: 1 },
    log: createLogger('silent', () => {}),
    masterKeyIds: ['00000000'],
    verify: async () => {},
  });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pools.pool }) });
  return { db, close: pools.close };
}

export class QueueDatabase {
  readonly db: Kysely<Schema>;
  /** The midoffices whose lanes were notified of a change. */
  readonly told: string[] = [];
  #events = 0;

  constructor(db: Kysely<Schema>) {
    this.db = db;
  }

  /** A verb in its own transaction. */
  change<T>(act: (verbs: QueueVerbs) => Promise<T>, nowMs = NOW): Promise<T> {
    return this.db.transaction().execute((transaction) =>
      act(
        queueVerbs(transaction, nowMs, async ({ midofficeIds }) => {
          this.told.push(...midofficeIds);
        }),
      ),
    );
  }

  /** A delivery that counts as delivered until a row of another state is added for it. It has no attempts. */
  async delivery(fact: Partial<DeliveryRow> = {}): Promise<number> {
    const { seq } = await this.db
      .insertInto('delivery')
      .values({
        event_id: `event ${this.#events++}`,
        type: 'updated',
        partner_id: 'par_one',
        partner_order_id: 'order',
        agreement_number: null,
        status: null,
        asked_midoffice_id: null,
        midoffice_id: MIDOFFICE.id,
        accepted_at: NOW - 1_000,
        ...fact,
      } as never)
      .returning('seq')
      .executeTakeFirstOrThrow();
    return seq;
  }

  async pending(row: Partial<PendingRow> = {}, fact: Partial<DeliveryRow> = {}): Promise<number> {
    const midofficeId = fact.midoffice_id ?? MIDOFFICE.id;
    const seq = await this.delivery(fact);
    await this.db
      .insertInto('pending')
      .values({
        seq,
        shard: shardOf(midofficeId),
        midoffice_id: midofficeId,
        order_key: null,
        due_at: NOW,
        retries_used: 0,
        attempts_made: 0,
        scheduled_at: null,
        asked_at: null,
        last_key: null,
        ...row,
      })
      .execute();
    return seq;
  }

  async givenUp(
    state: 'exhausted' | 'cancelled',
    fact: Partial<DeliveryRow> = {},
    row: Partial<GivenUpRow> = {},
  ): Promise<number> {
    const seq = await this.delivery(fact);
    const midoffice_id = fact.midoffice_id ?? MIDOFFICE.id;
    const { partner_id = 'par_one' } = fact;
    await this.db
      .insertInto('given_up')
      .values({ seq, midoffice_id, partner_id, state, at: NOW - 500, ...row })
      .execute();
    return seq;
  }

  /** A delivery in every state, alike apart from that. */
  async oneOfEach(
    fact: Partial<DeliveryRow> = {},
    last_result: string | null = null,
  ): Promise<Record<DeliveryState, number>> {
    return {
      pending: await this.pending({ due_at: LATER, last_result }, fact),
      delivered: await this.delivery(fact),
      exhausted: await this.givenUp('exhausted', fact, { last_result }),
      cancelled: await this.givenUp('cancelled', fact, { last_result }),
      unrouted: await this.delivery({ ...fact, midoffice_id: null }),
    };
  }

  async attempt(seq: number, number: number, more: Partial<AttemptRow> = {}): Promise<void> {
    await this.db
      .insertInto('attempt')
      .values({
        delivery_seq: seq,
        number,
        started_at: NOW - 900,
        duration_ms: 7,
        outcome: 'failed',
        signature_timestamp: 0,
        signature_token: 'token',
        ...more,
      } as AttemptRow)
      .execute();
  }

  rowOf(seq: number): Promise<PendingRow | undefined> {
    return this.db.selectFrom('pending').selectAll().where('seq', '=', seq).executeTakeFirst();
  }

  givenUpOf(seq: number) {
    return this.db.selectFrom('given_up').selectAll().where('seq', '=', seq).executeTakeFirst();
  }

  async dueOf(seqs: readonly number[]): Promise<(number | null | undefined)[]> {
    return Promise.all(seqs.map(async (seq) => (await this.rowOf(seq))?.due_at));
  }
}
