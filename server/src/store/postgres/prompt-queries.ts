/**
 * Queries that a partner's call waits for. They fail if the answer takes too long, including the wait for a
 * connection. While PostgreSQL is known not to answer, they fail at once instead of piling up.
 */
import type pg from 'pg';
import { DatabaseAway } from '../../base/database-errors.ts';
import { noAnswer } from './connection.ts';
import type { Liveness } from './liveness.ts';

/** How many may wait at the same time. Normally each takes a fraction of a millisecond. */
const WAITING = 2_000;

/** The part of a pool's interface that is needed here. */
export interface Queries {
  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

export class PromptQueries implements Queries {
  readonly #queries: Queries;
  readonly #liveness: Liveness;
  readonly #answerMs: number;
  readonly #waiting = new Set<(error: Error) => void>();

  constructor(queries: Queries, liveness: Liveness, answerMs: number) {
    this.#queries = queries;
    this.#liveness = liveness;
    this.#answerMs = answerMs;
    liveness.onMissed(() => {
      for (const giveUp of this.#waiting) giveUp(new DatabaseAway('PostgreSQL does not answer'));
    });
  }

  async query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.#liveness.isMissing) throw new DatabaseAway('PostgreSQL does not answer');
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
      // First read answers that have already arrived: this process itself may have been frozen.
      setImmediate(() => reject(noAnswer(ms)));
    }, ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(late);
  }
}
