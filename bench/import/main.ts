/**
 * `npm run import -- [--keys N] [--engine embedded|PostgreSQL]`: imports a made-up old system into a Bellhop that
 * serves partner calls and order events meanwhile. Prints how long it took and what the calls noticed.
 */
import { parseArgs } from 'node:util';
import { oldApiKey, oldKeyId, oldSystemLines } from '../../server/testing/old-system.ts';
import { ADMIN_TOKEN, type Bellhop, OVERVIEW_PATH, startBellhop, support } from '../bellhop.ts';
import { startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { clearProgress } from '../report.ts';
import { openSessions } from '../session.ts';
import { probe } from './probe.ts';

const { values } = parseArgs({
  options: { keys: { type: 'string', default: '100000' }, engine: { type: 'string' } },
});
const system = { keys: Number(values.keys) };
const QUIET_MS = 5_000;
const SIGN_INS = 1_000;

const { sessionOf, undoAll } = await openSessions();
try {
  for (const engine of ['embedded', 'PostgreSQL']) {
    if (values.engine && values.engine !== engine) continue;
    const session = sessionOf(engine);
    const database =
      engine === 'PostgreSQL' ? await (await startPostgres(session)).newDatabase() : undefined;
    const bellhop = await startBellhop(session, await session.folder(), {
      ...database?.env,
      BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    });
    const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
    const prepared = await prepare(bellhop, receiver.ready);
    const quiet = await probesDuring(bellhop, prepared, () => delay(QUIET_MS));
    session.progress('importing');
    const file = [...oldSystemLines(system)].join('');
    const memoryBefore = await bellhop.memoryMb();
    const cpuBefore = await bellhop.cpuMs();
    const moved = await probesDuring(bellhop, prepared, () => importFile(bellhop, file));
    const memoryAfter = await bellhop.memoryMb();
    const cpu = (await bellhop.cpuMs()) - cpuBefore;
    session.progress('signing in');
    await signIn(bellhop);
    const again = await timed(() => importFile(bellhop, file));
    const exported = await timed(() => readExport(bellhop));
    clearProgress();
    console.log(`${engine}, ${system.keys.toLocaleString('en')} keys`);
    console.log(
      `  import ${seconds(moved.tookMs)} (${seconds(cpu)} of Bellhop's processor time), the same again ${seconds(again)}, export ${seconds(exported)}`,
    );
    console.log(
      `  memory ${memoryBefore.toFixed(0)} MB before, ${memoryAfter.toFixed(0)} MB after`,
    );
    console.log(`  partner calls: quiet ${quiet.calls}; during the import ${moved.calls}`);
    console.log(`  order events: quiet ${quiet.events}; during the import ${moved.events}`);
    console.log(`  ${SIGN_INS} old credentials signed in`);
    await undoAll();
  }
} finally {
  await undoAll();
}

interface Prepared {
  authorization: string;
  partnerId: string;
}

/** A partner whose calls have no limit, with a receiver. */
async function prepare(bellhop: Bellhop, receiver: string): Promise<Prepared> {
  const partner = await support<{ id: string }>(bellhop, 'POST', '/partners', {
    name: 'Probe',
    integration_started_on: '2025-11-01',
    is_new: true,
  });
  const path = `/partners/${partner.id}/keys`;
  const key = await support<{ key_id: string; api_key: string }>(bellhop, 'POST', path, {});
  await support(bellhop, 'PUT', `/keys/${key.key_id}/endpoints`, {
    endpoint: OVERVIEW_PATH,
    is_limited: false,
  });
  const midoffice = await support<{ id: string }>(bellhop, 'POST', '/midoffices', {
    name: 'Probe',
    url: receiver,
    signing_key_id: key.key_id,
  });
  await support(bellhop, 'PATCH', `/partners/${partner.id}`, { midoffice_id: midoffice.id });
  return { authorization: basic(key.key_id, key.api_key), partnerId: partner.id };
}

async function probesDuring(bellhop: Bellhop, prepared: Prepared, work: () => Promise<unknown>) {
  const { authorization, partnerId } = prepared;
  const calls = probe(5, () => overview(bellhop, authorization));
  const events = probe(20, async (n) => {
    const reply = await fetch(`${bellhop.backOffice}/orders/v1/sandbox/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        event_id: `${performance.now()} ${n}`,
        type: 'created',
        partner_id: partnerId,
        partner_order_id: String(n),
      }),
    });
    if (reply.status !== 202) throw new Error(`order event: ${reply.status}`);
    await reply.text();
  });
  const tookMs = await timed(work);
  return { tookMs, calls: await calls.stop(), events: await events.stop() };
}

async function overview({ sandbox }: Bellhop, authorization: string): Promise<void> {
  const reply = await fetch(sandbox + OVERVIEW_PATH, { headers: { authorization } });
  if (reply.status !== 200) throw new Error(`overview/: ${reply.status}`);
  await reply.text();
}

async function importFile({ backOffice }: Bellhop, file: string): Promise<void> {
  const reply = await fetch(`${backOffice}/support/v1/sandbox/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': 'application/x-ndjson',
    },
    body: file,
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(text);
}

async function readExport({ backOffice }: Bellhop): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const reply = await fetch(`${backOffice}/support/v1/sandbox/export?api_keys`, { headers });
  for await (const _chunk of reply.body ?? []) {
    // Only the time matters.
  }
}

/** Old credentials all over the system; those that are disabled there, and only those, are refused. */
async function signIn(bellhop: Bellhop): Promise<void> {
  for (let i = 0; i < SIGN_INS; i++) {
    const n = Math.floor((i * system.keys) / SIGN_INS);
    if (n % 1_000 !== 999) await overview(bellhop, basic(oldKeyId(system, n), oldApiKey(n)));
  }
}

function basic(keyId: string, apiKey: string): string {
  return `Basic ${Buffer.from(`${keyId}:${apiKey}`).toString('base64')}`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
