/**
 * Queries that a partner's call waits for. They are answered within a moment, waiting for a
 * connection included, or fail; and while PostgreSQL is known not to answer they fail at once,
 * instead of piling up behind those that wait already.
 */
import type pg from 'pg';
import { DatabaseAway } from '../database-away.ts';
import { noAnswer } from './connection.ts';
import type { Heartbeat } from './liveness.ts';

/** How many may wait at a time; each takes a fraction of a millisecond when all is well. */
const WAITING = 2_000;

/** What is asked; a pool can be asked the same. */
export interface Queries {
  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

export class PromptQueries implements Queries {
  readonly #queries: Queries;
  readonly #heartbeat: Heartbeat;
  readonly #answerMs: number;
  readonly #waiting = new Set<(error: Error) => void>();

  constructor(queries: Queries, heartbeat: Heartbeat, answerMs: number) {
    this.#queries = queries;
    this.#heartbeat = heartbeat;
    this.#answerMs = answerMs;
    heartbeat.onMissed(() => {
      for (const giveUp of this.#waiting) giveUp(new DatabaseAway('PostgreSQL does not answer'));
    });
  }

  async query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.#heartbeat.isMissing) throw new DatabaseAway('PostgreSQL does not answer');
    if (this.#waiting.size >= WAITING) throw new DatabaseAway('too many wait for PostgreSQL');
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    this.#waiting.add(giveUp);
    try {
      return await within(
        this.#answerMs,
        Promise.race([this.#queries.query<Row>(config), givenUp]),
      );
    } finally {
      this.#waiting.delete(giveUp);
    }
  }
}

export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    late = setTimeout(() => {
      // Answers that are here already are read first: this process itself may have stood still.
      setImmediate(() => reject(noAnswer(ms)));
    }, ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(late);
  }
}
