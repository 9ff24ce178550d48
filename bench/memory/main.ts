/**
 * `npm run memory`: what each group of the Helm chart takes, on PostgreSQL and Redis with both environments: idle, and
 * at the most while it is as busy as it can be. The chart's requests and limits, and the sizing page, come from it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { startRedisServer } from '../../kit/redis.ts';
import { ADMIN_TOKEN, type Bellhop, OVERVIEW_PATH, startBellhop } from '../bellhop.ts';
import type { Session } from '../bench.ts';
import { storeKeysPostgres } from '../keys.ts';
import { createMidoffices, deliveredCount, postEvents, untilDelivered } from '../midoffices.ts';
import { startPostgres } from '../postgres.ts';
import { type Started, startNode } from '../processes.ts';
import { clearProgress } from '../report.ts';
import { openSessions } from '../session.ts';
import { runWrk } from '../wrk.ts';

const IDLE_MS = 20_000;
const SAMPLE_MS = 250;
const CALL_SECONDS = 30;
const KEYS = 10_000;
const EVENTS = 100_000;
const MIDOFFICES = 40;

const { sessionOf, undoAll } = await openSessions();
try {
  await measure(sessionOf('memory'));
} finally {
  await undoAll();
}

async function measure(session: Session): Promise<void> {
  const redis = await startRedisServer();
  session.undo(() => redis.end());
  const postgres = await startPostgres(session);
  const [sandbox, production] = [await postgres.newDatabase(), await postgres.newDatabase()];
  const shared = {
    ...sandbox.env,
    BELLHOP_PRODUCTION_DATABASE_URL: production.url,
    BELLHOP_SANDBOX_REDIS_URL: `${redis.url}/1`,
    BELLHOP_PRODUCTION_REDIS_URL: `${redis.url}/2`,
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
  };
  const rolesOf = await readGroups();
  const start = async (group: string) =>
    startBellhop(session, await session.folder(), { ...shared, BELLHOP_ROLES: rolesOf(group) });
  const delivery = await start('delivery');
  const keys = await storeKeysPostgres(sandbox, KEYS, (grant) => ({ ...grant, is_limited: false }));
  const partnerApi = await start('partner-api');

  session.progress('idle');
  await sleep(IDLE_MS);
  const idle = [await memoryOf(partnerApi), await memoryOf(delivery)];
  session.progress(`${KEYS} keys call for ${CALL_SECONDS} s`);
  const calling = await atMost(partnerApi, () => call(session, partnerApi, keys));
  session.progress(`${EVENTS} events`);
  const delivering = await atMost(delivery, () => deliver(session, delivery));
  clearProgress();
  console.table({
    'partner-api': { 'idle (MiB)': idle[0], 'busy, at most (MiB)': calling },
    delivery: { 'idle (MiB)': idle[1], 'busy, at most (MiB)': delivering },
  });
}

/** The roles of each group, as the chart gives them to its pods. */
async function readGroups(): Promise<(group: string) => string> {
  const file = join(import.meta.dirname, '../../deploy/helm/bellhop/values.yaml');
  const { workloads } = parse(await readFile(file, 'utf8'));
  return (group) => {
    const { roles, backOffice } = workloads[group];
    return [...roles, backOffice ? 'back-office' : 'monitoring'].join(',');
  };
}

async function call(session: Session, { sandbox }: Bellhop, keys: string[]): Promise<void> {
  const authorizations = join(await session.folder(), 'authorizations');
  await writeFile(authorizations, `${keys.join('\n')}\n`);
  await runWrk({ url: sandbox + OVERVIEW_PATH, authorizations }, CALL_SECONDS);
}

async function deliver(session: Session, node: Bellhop): Promise<void> {
  const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
  const urls = Array.from({ length: MIDOFFICES }, () => `${receiver.ready}/hook`);
  const midoffices = await createMidoffices(node, urls);
  const before = await deliveredCount([node]);
  await postEvents(node, midoffices, midoffices.ids, EVENTS);
  await untilDelivered([node], before + EVENTS);
  await fetch(`${node.backOffice}/support/v1/sandbox/deliveries?limit=200`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
}

async function atMost(node: Started, work: () => Promise<void>): Promise<number> {
  let most = 0;
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    most = Math.max(most, await memoryOf(node));
    await Promise.race([done, sleep(SAMPLE_MS)]);
  }
  await done;
  return most;
}

async function memoryOf(node: Started): Promise<number> {
  const mib = await node.memoryMb();
  if (Number.isNaN(mib)) throw new Error('This needs /proc, which only Linux has.');
  return Math.round(mib);
}
