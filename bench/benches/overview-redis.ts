/**
 * Limits that several nodes share: every call is a check in Redis. Many keys with a limit for each
 * second, one key with a limit of many thousands, and Redis a millisecond away, each way.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askRedis } from '../../kit/ask-redis.ts';
import { startRedisServer } from '../../kit/redis.ts';
import { openLink } from '../../kit/tcp-link.ts';
import { OVERVIEW_PATH, startBellhop } from '../bellhop.ts';
import type { Bench, Line, Session } from '../bench.ts';
import { storeKeys } from '../keys.ts';
import { startNode } from '../processes.ts';
import { sideBySide } from '../side-by-side.ts';
import { callsPerSecond, warmUp } from '../wrk.ts';

const AWAY_MS = 1;

interface Case {
  about: string;
  keys: number;
  requests: number;
  seconds: number;
  awayMs?: number;
  bar?: Line['bar'];
}

const CASES: Case[] = [
  {
    about: '100 keys, 1,000 a second each',
    keys: 100,
    requests: 1_000,
    seconds: 1,
    bar: { atLeast: 0.55 },
  },
  { about: 'one key, 1,000,000 in 10 s', keys: 1, requests: 1_000_000, seconds: 10 },
  {
    about: `100 keys, Redis ${AWAY_MS} ms away, each way`,
    keys: 100,
    requests: 1_000,
    seconds: 1,
    awayMs: AWAY_MS,
  },
];

export const overviewRedis: Bench = {
  name: 'overview-redis',
  async run(session) {
    const redis = await startRedisServer();
    session.undo(() => redis.end());
    const lines: Line[] = [];
    for (const one of CASES) lines.push(await measured(session, redis.url, one));
    return lines;
  },
};

async function measured(session: Session, redisUrl: string, one: Case): Promise<Line> {
  const folder = await session.folder();
  const keys = await storeKeys(folder, one.keys, (grant) => ({
    ...grant,
    is_limited: true,
    requests_number: one.requests,
    seconds_number: one.seconds,
  }));
  const authorizations = join(folder, 'authorizations');
  await writeFile(authorizations, `${keys.join('\n')}\n`);
  const url = one.awayMs ? await delayed(session, redisUrl, one.awayMs) : redisUrl;
  const bellhop = await startBellhop(session, folder, { BELLHOP_SANDBOX_REDIS_URL: url });
  const ours = { url: bellhop.sandbox + OVERVIEW_PATH, authorizations };
  const bare = await startNode(session, 'bench/servers/bare-http.ts', [
    ours.url,
    keys[0] as string,
  ]);
  const theirs = { ...ours, url: bare.ready + OVERVIEW_PATH };
  session.progress('warming up');
  await warmUp(ours, theirs);
  const before = await scriptCalls(redisUrl);
  const line = await sideBySide(
    session,
    { title: `overview/, limits in Redis: ${one.about}`, unit: 'calls/s', bar: one.bar },
    callsPerSecond('Bellhop', bellhop, ours),
    callsPerSecond('bare node:http', bare, theirs),
  );
  if ((await scriptCalls(redisUrl)) === before) throw new Error('Bellhop did not ask Redis.');
  await bellhop.stop();
  await bare.stop();
  return line;
}

async function delayed(session: Session, redisUrl: string, ms: number): Promise<string> {
  const { hostname: host, port } = new URL(redisUrl);
  const link = await openLink({ host, port: Number(port) });
  session.undo(() => link.close());
  link.delay(ms);
  return link.through(redisUrl);
}

/** Without Redis, Bellhop decides by itself, which is faster. */
async function scriptCalls(url: string): Promise<number> {
  const stats = String(await askRedis({ url }, 'INFO', 'commandstats'));
  return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
}
