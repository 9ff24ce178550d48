/**
 * Which nodes have lost Redis, as they tell each other: in one row of `meta` that every node reads with each of its
 * polls (invalidations.ts). Nobody looks for it otherwise, so it costs nothing while Redis is well.
 */
import { LONE_TOLD_EVERY_MS, type LoneNode, type LoneNodes } from '../../limiter/limiter.ts';
import { OF_PROCESSES } from '../move-marks.ts';
import type { Queries } from './prompt-queries.ts';

/** A node that has not said so for longer is back, or has ended. */
const FORGOTTEN_MS = 3.5 * LONE_TOLD_EVERY_MS;

const NOW = 'extract(epoch from clock_timestamp()) * 1000';
const TELL = `
  insert into meta (name, value)
  values ('${OF_PROCESSES.alone}', jsonb_build_object($1::text,
    jsonb_build_object('nodes', $2::integer, 'rank', $3::integer, 'at', ${NOW}))::text)
  on conflict (name) do update set value = (
    (select coalesce(jsonb_object_agg(key, said), '{}') from jsonb_each(meta.value::jsonb) as told (key, said)
      where (said->>'at')::float8 > ${NOW} - ${FORGOTTEN_MS}) || excluded.value::jsonb)::text`;
const UNTELL = `
  update meta set value = (value::jsonb - $1::text)::text where name = '${OF_PROCESSES.alone}' and value::jsonb ? $1::text`;

export class PostgresLoneNodes implements LoneNodes {
  #queries: Queries;
  #heard: readonly LoneNode[] = [];

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async tell({ name, nodes, rank }: LoneNode): Promise<void> {
    await this.#queries.query({ text: TELL, values: [name, nodes, rank] });
  }

  async untell(name: string): Promise<void> {
    await this.#queries.query({ text: UNTELL, values: [name] });
  }

  heard(): readonly LoneNode[] {
    return this.#heard;
  }

  /** What the row held at this time of the database. */
  read(value: string | null, nowMs: number): void {
    if (value === null) return;
    const told = Object.entries(JSON.parse(value) as Record<string, Told>);
    const alone = told
      .filter(([, { at }]) => nowMs - at < FORGOTTEN_MS)
      .map(([name, { nodes, rank }]) => ({ name, nodes, rank }));
    if (JSON.stringify(alone) !== JSON.stringify(this.#heard)) this.#heard = alone;
  }
}

interface Told {
  nodes: number;
  rank: number;
  at: number;
}
