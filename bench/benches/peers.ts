/**
 * Bellhop beside what people would build on instead: the job queues pg-boss, graphile-worker and BullMQ for events, and
 * Fastify with its plugins for calls. Both sides get the same events, payload, signatures and receiver, and send as many
 * webhooks at once; each peer has the fastest settings that we found. docs/scale/peers.md says what the sides do not share.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { query } from '../../kit/postgres.ts';
import { startRedisServer } from '../../kit/redis.ts';
import { type Bellhop, OVERVIEW_PATH, startBellhop } from '../bellhop.ts';
import type { Bench, Line, Session } from '../bench.ts';
import { cpuMicrosOf, cpuMicrosOfPostgres } from '../cpu-time.ts';
import { posted } from '../delivery-sides.ts';
import { storeKeys } from '../keys.ts';
import { createMidoffices } from '../midoffices.ts';
import { startNodeOn } from '../nodes.ts';
import { installPeers, named, type Peer } from '../peers/install.ts';
import { startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { inTurns, type Side } from '../side-by-side.ts';
import { callsPerSecond, warmUp } from '../wrk.ts';

const EVENTS = 10_000;
const MIDOFFICES = 10;
const IN_FLIGHT_EACH = 8;
const KEYS = 100;
const PER_SECOND = 1_000;

export const peers: Bench = {
  name: 'peers',
  async run(session) {
    const folder = await installPeers(session);
    return [...(await queues(session, folder)), ...(await calls(session, folder))];
  },
};

/** A server with a database, and the processor time that it has used. */
interface Database {
  url: string;
  cpuMicros(): Promise<number>;
}

async function queues(session: Session, folder: string): Promise<Line[]> {
  const receiver = `${(await startNode(session, 'bench/servers/receiver.ts', [])).ready}/hook`;
  const postgres = await startPostgres(session);
  const ourDatabase = await postgres.newDatabase();
  const onPostgres = { cpuMicros: () => cpuMicrosOfPostgres(postgres) };
  const bellhop = await startNodeOn(session, ourDatabase);
  const urls = Array.from({ length: MIDOFFICES }, () => receiver);
  const midoffices = await createMidoffices(bellhop, urls, IN_FLIGHT_EACH);

  async function queue(
    peer: Peer,
    database: Database,
    settings: string,
    variant = '',
  ): Promise<Side> {
    session.progress(`starting ${peer}`);
    const atOnce = String(MIDOFFICES * IN_FLIGHT_EACH);
    const args = [folder, receiver, atOnce, database.url];
    const started = await startNode(session, `bench/peers/${peer}.ts`, args);
    // It takes events in and counts deliveries as Bellhop's back office does.
    const node: Bellhop = { ...bellhop, ...started, backOffice: started.ready };
    const side = posted(named(peer) + variant, { nodes: [node], midoffices }, EVENTS);
    return { ...withDatabase(side, database), settings };
  }

  const ours: Side = {
    ...withDatabase(posted('Bellhop', { nodes: [bellhop], midoffices }, EVENTS), onPostgres),
    settings: 'PostgreSQL with fsync, keeps every delivery and attempt',
  };
  const forPgBoss = await postgres.newDatabase();
  const forGraphileWorker = await postgres.newDatabase();
  const theirs = [
    await queue(
      'pg-boss',
      { ...onPostgres, ...forPgBoss },
      'same PostgreSQL, LISTEN/NOTIFY, 4 workers with batches of 500, keeps jobs',
    ),
    await queue(
      'graphile-worker',
      { ...onPostgres, ...forGraphileWorker },
      'same PostgreSQL, local queue of 200, ends jobs in batches, deletes them',
    ),
  ];
  for (const fsync of ['always', 'everysec']) {
    const redis = await startRedis(session, fsync);
    theirs.push(await queue('bullmq', redis, 'Redis with AOF, deletes jobs', `, fsync ${fsync}`));
  }
  session.progress('warming up');
  for (const side of [ours, ...theirs]) await side.measure();
  // As autovacuum does within minutes. Not for graphile-worker: its table is empty again, and with the statistics of an
  // empty table it reached a tenth of its rate.
  for (const { url } of [ourDatabase, forPgBoss]) await query(url, 'analyze');
  return inTurns(
    session,
    theirs.map((against) => ({
      title: `posted → delivered and recorded, beside ${against.name}`,
      unit: 'webhooks/s',
      isRace: true,
      measured: ours,
      against,
    })),
  );
}

async function startRedis(session: Session, appendfsync: string): Promise<Database> {
  const server = await startRedisServer(['--appendonly', 'yes', '--appendfsync', appendfsync]);
  session.undo(() => server.end());
  return { url: server.url, cpuMicros: () => cpuMicrosOf(server.pid ?? undefined) };
}

function withDatabase(side: Side, { cpuMicros }: Pick<Database, 'cpuMicros'>): Side {
  return {
    ...side,
    async measure() {
      const before = await cpuMicros();
      const { figure, details } = await side.measure();
      const each = ((await cpuMicros()) - before) / EVENTS;
      return { figure, details: { ...details, 'µs of CPU each in the database': each } };
    },
  };
}

/** Both have the limits in memory. Nothing else of Bellhop's work is asked of Fastify, but to log in one of two lines. */
async function calls(session: Session, folder: string): Promise<Line[]> {
  const data = await session.folder();
  const keys = await storeKeys(data, KEYS, (grant) => ({
    ...grant,
    is_limited: true,
    requests_number: PER_SECOND,
    seconds_number: 1,
  }));
  const authorizations = join(data, 'authorizations');
  await writeFile(authorizations, `${keys.join('\n')}\n`);
  const bellhop = await startBellhop(session, data);
  const load = { url: bellhop.sandbox + OVERVIEW_PATH, authorizations };
  const measured: Side = {
    ...callsPerSecond('Bellhop', bellhop, load),
    settings: 'a log line for each call',
  };

  async function fastify(logging: string, settings: string): Promise<Side> {
    const args = [folder, load.url, authorizations, String(PER_SECOND), logging];
    const started = await startNode(session, 'bench/peers/fastify.ts', args);
    const theirs = { ...load, url: started.ready + OVERVIEW_PATH };
    await warmUp(theirs);
    return { ...callsPerSecond(named('fastify'), started, theirs), settings };
  }

  session.progress('warming up');
  await warmUp(load);
  const title = `overview/, ${KEYS} keys with ${PER_SECOND} calls a second each, beside Fastify`;
  const both = { unit: 'calls/s', isRace: true, measured };
  return inTurns(session, [
    {
      ...both,
      title: `${title} without a log`,
      against: await fastify('silent', 'basic-auth, rate-limit in memory, no log'),
    },
    {
      ...both,
      title: `${title} with a log`,
      against: await fastify('logs', 'basic-auth, rate-limit in memory, a log line for each call'),
    },
  ]);
}
