/**
 * Plays one scenario with the code of another checkout, which wrote the databases in this folder:
 * `worker` delivers and is then killed with attempts in flight; `back-office` then runs without a
 * worker. Prints the deliveries by name when it is done. make.js starts both.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const MASTER_KEY = Buffer.from('a key for databases of the tests');
const SETTINGS = {
  BELLHOP_PRODUCTION_RECEIVER_ALLOW: '127.0.0.0/8',
  BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1m,10m,1h',
};
const MINUTE = 60_000;
const RETENTION_MS = 30 * 86_400_000;

const [checkout, part, database, said] = process.argv.slice(2);
const known = JSON.parse(said ?? '{}');

const load = (path) => import(pathToFileURL(join(checkout, 'server', path)).href);
const { default: pino } = await import(
  pathToFileURL(join(checkout, 'node_modules/pino/pino.js')).href
);
const { ManualClock } = await load('testing/manual-clock.ts');
const { Vault } = await load('src/vault.ts');
const { readConfig } = await load('src/config/config.ts');
const { Metrics } = await load('src/metrics.ts');
const { createMemoryLimiter } = await load('src/limits/memory-limiter.ts');
const { openDelivery } = await load('src/delivery/open.ts');
const { startHousekeeping } = await load('src/delivery/housekeeping.ts');
const { createPartner } = await load('src/support/create-partner.ts');
const { updatePartner } = await load('src/support/update-partner.ts');
const { createKey } = await load('src/support/create-key.ts');
const { rotateKey } = await load('src/support/rotate-key.ts');
const { createMidoffice } = await load('src/support/create-midoffice.ts');
const { updateMidoffice } = await load('src/support/update-midoffice.ts');
const { retryDelivery } = await load('src/support/retry-delivery.ts');
const { cancelDelivery } = await load('src/support/cancel-delivery.ts');
const { recoverMidoffice } = await load('src/support/recover-midoffice.ts');

const clock = new ManualClock(known.now);
const log = pino({ level: 'silent' });
const vault = new Vault(MASTER_KEY, 'production');
const store = await openStore();
const config = readConfig(SETTINGS);
const metrics = new Metrics();
const delivery = openDelivery({
  environment: 'production',
  settings: config.production,
  store,
  vault,
  clock,
  log,
  metrics,
});
const desk = {
  environment: 'production',
  store,
  vault,
  limiter: await createMemoryLimiter({ clock }),
  clock,
  sandboxOffer: config.sandboxOffer,
  webhooks: delivery,
};

const maker = 'maker';
/** Ids by name; a partner has the name of its midoffice. */
const names = known.names ?? { partners: {}, keys: {}, midoffices: {}, deliveries: {} };

if (part === 'worker') await work();
else await answerTheTelephone();
console.log(JSON.stringify({ now: clock.now(), names }));
if (part === 'worker') await once(process, 'never');
await delivery.close();
await store.close();

/** Ends with six attempts in flight, during which it is killed. */
async function work() {
  const receiver = await startReceiver();
  const inOrder = { delivery_order: 'per_order' };
  await addMidoffice('any', receiver);
  await addMidoffice('per order', receiver, inOrder);
  await addPartner('per order, too', names.midoffices['per order']);
  await addMidoffice('paused', receiver);
  await addMidoffice('failing', receiver, { body_form: 'flat' });
  await addMidoffice('rotating', receiver);
  await addMidoffice('under way', receiver);
  await addMidoffice('under way in order', receiver, inOrder);
  await addPartner('without midoffice', null);
  await updateMidoffice(desk, maker, names.midoffices.paused, { paused: true });
  await delivery.start();

  receiver.refuse('any', ['any-2', 'any-3']);
  receiver.refuse('failing');
  await accept('any', { 'delivered at once': 'any-1', 'delivered at last': 'any-2' });
  await accept('any', { 'cancelled while it waits': 'any-3', replayed: 'any-4' });
  await accept('failing', { recovered: 'failing-1', 'exhausted 1': 'failing-2' });
  await accept('failing', { 'exhausted 2': 'failing-3' });
  await accept('without midoffice', { 'unrouted 1': 'nowhere-1', 'unrouted 2': 'nowhere-2' });
  await accept('paused', { 'paused 1': 'paused-1', 'paused 2': 'paused-2' });
  await attempted(1, 'delivered at once', 'delivered at last', 'cancelled while it waits');
  await attempted(1, 'replayed', 'recovered', 'exhausted 1', 'exhausted 2');
  await cancelDelivery(desk, maker, names.deliveries['cancelled while it waits']);
  await retryDelivery(desk, maker, names.deliveries.replayed);
  await attempted(2, 'replayed');
  clock.advance(MINUTE);
  await attempted(2, 'delivered at last', 'recovered', 'exhausted 1', 'exhausted 2');
  receiver.take('any');
  clock.advance(10 * MINUTE);
  await attempted(3, 'delivered at last', 'recovered', 'exhausted 1', 'exhausted 2');
  clock.advance(60 * MINUTE);
  await attempted(4, 'recovered', 'exhausted 1', 'exhausted 2');

  await accept('failing', { 'waits for its second retry': 'failing-4' });
  await attempted(1, 'waits for its second retry');
  clock.advance(MINUTE);
  await attempted(2, 'waits for its second retry');
  await accept('failing', { 'waits for its first retry': 'failing-5', 'by hand': 'failing-6' });
  await attempted(1, 'waits for its first retry', 'by hand');

  receiver.refuse('per order', ['A']);
  await accept('per order', { 'first of A': 'A', 'second of A': 'A', 'third of A': 'A' });
  await accept('per order, too', { 'first of the other A': 'A', 'second of the other A': 'A' });
  await accept('per order', { 'first of B': 'B', 'second of B': 'B' });
  await attempted(1, 'first of A', 'first of the other A', 'first of B', 'second of B');

  await accept('rotating', { 'signed before the rotation': 'rotating-1' });
  await attempted(1, 'signed before the rotation');
  await rotateKey(desk, maker, names.keys.rotating, { overlap_seconds: 30 * 86_400 });
  receiver.refuse('rotating');
  await accept('rotating', { 'signed with the earlier key': 'rotating-2' });
  await attempted(1, 'signed with the earlier key');

  receiver.refuse('under way', ['by-hand']);
  receiver.hang('under way in order');
  await accept('under way', { 'by hand under way': 'by-hand' });
  await attempted(1, 'by hand under way');
  receiver.hang('under way');
  await retryDelivery(desk, maker, names.deliveries['by hand under way']);
  await accept('under way', { 'under way': 'under-way', 'under way and asked for': 'asked' });
  await accept('under way', { 'cancelled under way': 'cancelled', 'revived under way': 'revived' });
  await accept('under way in order', { 'first under way': 'C', 'second behind it': 'C' });
  await until(async () => (await rows()).filter((row) => row.lease !== null).length === 6);
  await retryDelivery(desk, maker, names.deliveries['under way and asked for']);
  await cancelDelivery(desk, maker, names.deliveries['cancelled under way']);
  await cancelDelivery(desk, maker, names.deliveries['revived under way']);
  await retryDelivery(desk, maker, names.deliveries['revived under way']);
}

/** A process without the role `delivery`: it attempts nothing that it accepts or requests. */
async function answerTheTelephone() {
  clock.advance(5_000);
  await accept('any', { 'never tried 1': 'any-5', 'never tried 2': 'any-6' });
  await accept('per order', { 'fourth of A': 'A', 'only one of D': 'D' });
  await accept('rotating', { 'never signed': 'rotating-3' });
  await retryDelivery(desk, maker, names.deliveries['by hand']);
  const since = new Date(0).toISOString();
  await recoverMidoffice(desk, maker, names.midoffices.failing, { since, limit: 1 });
  // Accepted by a node whose clock was behind, so that retention deletes the newest and no others.
  const nowMs = clock.now();
  clock.setWallClock(nowMs - 2 * RETENTION_MS);
  await accept('without midoffice', { 'deleted 1': 'gone-1', 'deleted 2': 'gone-2' });
  clock.setWallClock(nowMs);
  await deleteOld();
  // An attempt from before migration 0005, which added columns.
  const facts = ['failure_code', 'url', 'body_form', 'user_agent', 'key_id', 'key_fingerprint'];
  await store.db
    .updateTable('attempt')
    .set(Object.fromEntries(facts.map((fact) => [fact, null])))
    .where('delivery_seq', 'in', [seqOf('delivered at once'), seqOf('exhausted 1')])
    .execute();
}

async function openStore() {
  const shared = { environment: 'production', vault, clock, log };
  if (database.startsWith('postgres:')) {
    const { openPostgresStore } = await load('src/store/postgres/open.ts');
    return openPostgresStore({ ...shared, url: database });
  }
  const { openSqliteStore } = await load('src/store/sqlite/open.ts');
  return openSqliteStore({ ...shared, folder: database });
}

async function addPartner(name, midofficeId) {
  const { id } = await createPartner(desk, maker, {
    name,
    integration_started_on: '2025-11-01',
    is_new: false,
  });
  names.partners[name] = id;
  if (midofficeId) await updatePartner(desk, maker, id, { midoffice_id: midofficeId });
}

async function addMidoffice(name, receiver, more = {}) {
  await addPartner(name, null);
  const key = await createKey(desk, maker, names.partners[name], {});
  const url = receiver.urlOf(name);
  const { id } = await createMidoffice(desk, maker, {
    name,
    url,
    signing_key_id: key.key_id,
    ...more,
  });
  names.keys[name] = key.key_id;
  names.midoffices[name] = id;
  await updatePartner(desk, maker, names.partners[name], { midoffice_id: id });
}

/** Order ids by the name of the delivery; the event id is the name. */
async function accept(partner, orders) {
  const events = Object.entries(orders).map(([name, partner_order_id]) => ({
    event_id: name,
    type: 'updated',
    partner_id: names.partners[partner],
    partner_order_id,
  }));
  const { results } = await delivery.accept(events);
  for (const { event_id, delivery_id } of results) names.deliveries[event_id] = delivery_id;
}

function seqOf(name) {
  return Number(names.deliveries[name].slice('del_'.length));
}

function rows() {
  return store.db.selectFrom('delivery').selectAll().execute();
}

async function attempted(times, ...deliveries) {
  const events = new Set(deliveries);
  await until(async () => {
    const some = (await rows()).filter((row) => events.has(row.event_id));
    return some.every((row) => row.attempts_made >= times && row.lease === null);
  });
  // Written after the attempt itself: whether its midoffice is failing, and the counts.
  await wait(300);
}

async function deleteOld() {
  const parts = { environment: 'production', store, clock, log, metrics, raise: async () => true };
  const housekeeping = startHousekeeping({ ...parts, retentionMs: RETENTION_MS });
  await housekeeping.round();
  housekeeping.stop();
}

async function until(holds) {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 500) throw new Error(`never came about: ${holds}`);
    await wait(20);
  }
}

/** One server for all midoffices, each with its own path. */
async function startReceiver() {
  const answers = new Map();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const json = JSON.parse(body);
    const order = json.data?.partner_order_id ?? json.partner_order_id;
    const { status = 200, orders } = answers.get(request.url) ?? {};
    if (status === 'hang') return;
    response.writeHead(!orders || orders.includes(order) ? status : 200).end('Told so.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const path = (name) => `/${name.replaceAll(' ', '-')}`;
  return {
    urlOf: (name) => `http://127.0.0.1:${server.address().port}${path(name)}`,
    take: (name) => answers.delete(path(name)),
    refuse: (name, orders) => answers.set(path(name), { status: 500, orders }),
    hang: (name) => answers.set(path(name), { status: 'hang' }),
  };
}
