/**
 * How long the midoffices of a node wait when it is killed: from the kill to the next attempt for each
 * of them, which another node must make. Events keep flowing for all midoffices, through the node that
 * stays alive.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../kit/listen.ts';
import type { Bellhop } from '../bellhop.ts';
import type { Bench, Session } from '../bench.ts';
import { createMidoffices, type Midoffices, postEvents } from '../midoffices.ts';
import { startNodeOn, untilShared } from '../nodes.ts';
import { startPostgres } from '../postgres.ts';
import { alone } from '../side-by-side.ts';

const MIDOFFICES = 20;
const EVERY_MS = 50;
/** By then, everything that a killed process had sent has been read. */
const LAST_BYTES_MS = 100;
const TIMEOUT_MS = 60_000;

export const deliveryTakeover: Bench = {
  name: 'delivery-takeover',
  async run(session) {
    const receiver = await startReceiver(session);
    const database = await (await startPostgres(session)).newDatabase();
    let survivor = await startNodeOn(session, database);
    let victim = await startNodeOn(session, database);
    const urls = Array.from({ length: MIDOFFICES }, (_, n) => `${receiver.url}/${n}`);
    const midoffices = await createMidoffices(survivor, urls);
    return [
      await alone(
        session,
        {
          title: `a node is killed → the next attempt in its lanes, the longest of ${MIDOFFICES} midoffices`,
          unit: 's',
          bar: { atMost: 10 },
        },
        {
          name: 'longest wait',
          async measure() {
            await untilShared(survivor, 2);
            const flow = startFlow(survivor, midoffices);
            await receiver.untilAllHeard(performance.now());
            const killedMs = performance.now();
            await victim.kill();
            const heardMs = await receiver.untilAllHeard(performance.now() + LAST_BYTES_MS);
            const posted = await flow.stop();
            const longestEvent = await receiver.longestDelayMs(posted);
            victim = survivor;
            survivor = await startNodeOn(session, database);
            return {
              figure: (Math.max(...heardMs) - killedMs) / 1_000,
              details: { 'longest of any event, posted → received': longestEvent / 1_000 },
            };
          },
        },
      ),
    ];
  },
};

/** Posts an event for each midoffice from time to time; records when each order was posted. */
function startFlow(through: Bellhop, midoffices: Midoffices) {
  const posted = new Map<string, number>();
  let going = true;
  const flowing = (async () => {
    while (going) {
      const atMs = performance.now();
      const orders = await postEvents(through, midoffices, midoffices.ids, MIDOFFICES);
      for (const order of orders) posted.set(order, atMs);
      await sleep(EVERY_MS);
    }
  })();
  return {
    async stop() {
      going = false;
      await flowing;
      return posted;
    },
  };
}

async function startReceiver(session: Session) {
  /** When each midoffice last, and each order first, got a webhook. */
  const lastMs = new Map<string, number>();
  const firstMs = new Map<string, number>();
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.once('end', () => {
      const atMs = performance.now();
      const { data } = JSON.parse(Buffer.concat(chunks).toString());
      lastMs.set(request.url as string, atMs);
      if (!firstMs.has(data.partner_order_id)) firstMs.set(data.partner_order_id, atMs);
      response.end('ok');
    });
  });
  const { url, close } = await listen(server);
  session.undo(close);

  return {
    url,
    /** When each midoffice got its first webhook after `sinceMs`. */
    async untilAllHeard(sinceMs: number): Promise<number[]> {
      const heard = new Map<string, number>();
      await until(() => {
        for (const [midoffice, atMs] of lastMs) {
          if (atMs > sinceMs && !heard.has(midoffice)) heard.set(midoffice, atMs);
        }
        return heard.size === MIDOFFICES;
      }, 'some midoffices get no more webhooks');
      return [...heard.values()];
    },
    /** Including those in flight when a node was killed. */
    async longestDelayMs(posted: ReadonlyMap<string, number>): Promise<number> {
      const orders = [...posted];
      await until(() => orders.every(([order]) => firstMs.has(order)), 'events were lost');
      return Math.max(...orders.map(([order, atMs]) => (firstMs.get(order) as number) - atMs));
    },
  };
}

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(otherwise);
    await sleep(5);
  }
}
