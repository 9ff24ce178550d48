import { setTimeout as sleep } from 'node:timers/promises';
import { askRedis } from './ask-redis.ts';
import { freePort } from './free-port.ts';
import { startRedisServer } from './redis.ts';
import type { ThrowAwayServer } from './throw-away-server.ts';

const SLOTS = 16_384;
const PRIMARIES = 3;
/** A primary that does not answer for so long is replaced by its replica. */
const NODE_TIMEOUT_MS = 1_000;
const KEYS_MOVED_AT_ONCE = 100;
const MOVE_TIMEOUT_MS = 5_000;

export interface RedisCluster {
  /** `redis+cluster://…` with all of its primaries. */
  url: string;
  primaries: ThrowAwayServer[];
  /** Of the first primary. */
  replica: ThrowAwayServer;
  /** Who has the key's slot, as the primaries say. */
  ownerOf(key: string): Promise<ThrowAwayServer>;
  /** Gives the key's slot, with all that is in it, to another primary. */
  moveSlotOf(key: string, to: ThrowAwayServer, halfway?: () => Promise<void>): Promise<void>;
  end(): Promise<void>;
}

/** Three primaries with a third of the slots each, and a replica of the first. */
export async function startRedisCluster(settings: readonly string[] = []): Promise<RedisCluster> {
  await using starting = new AsyncDisposableStack();
  const servers: ThrowAwayServer[] = [];
  for (let n = 0; n <= PRIMARIES; n++) {
    const busPort = await freePort();
    const server = await startRedisServer([
      ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
      ...['--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
      // A replica may take over however far it is behind.
      ...['--cluster-replica-validity-factor', '0'],
      ...settings,
    ]);
    starting.defer(() => server.end());
    await askRedis(server, 'CLUSTER', 'SET-CONFIG-EPOCH', String(n + 1));
    const [met] = servers;
    if (met) {
      const address = ['127.0.0.1', String(server.port), String(busPort)];
      await askRedis(met, 'CLUSTER', 'MEET', ...address);
    }
    servers.push(server);
  }
  const primaries = servers.slice(0, PRIMARIES);
  const replica = servers[PRIMARIES] as ThrowAwayServer;
  for (const [n, primary] of primaries.entries()) {
    const [from, to] = [n, n + 1].map((third) => Math.ceil((SLOTS * third) / PRIMARIES));
    await askRedis(primary, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String((to as number) - 1));
  }
  for (const server of servers) await says(server, `cluster_slots_assigned:${SLOTS}`);
  for (const server of servers) await says(server, `cluster_known_nodes:${servers.length}`);
  await askRedis(replica, 'CLUSTER', 'REPLICATE', await idOf(primaries[0] as ThrowAwayServer));
  for (const server of servers) await says(server, 'cluster_state:ok');
  const ending = starting.move();
  return {
    url: urlOf(primaries),
    primaries,
    replica,
    ownerOf,
    moveSlotOf,
    end: () => ending.disposeAsync(),
  };

  async function ownerOf(key: string): Promise<ThrowAwayServer> {
    const asked = primaries.find(({ pid }) => pid !== null) as ThrowAwayServer;
    try {
      await askRedis(asked, 'EXISTS', key);
      return asked;
    } catch (error) {
      const [, port] = /^MOVED .*:(\d+)$/.exec((error as Error).message) ?? [];
      const owner = servers.find((server) => server.port === Number(port));
      if (!owner) throw error;
      return owner;
    }
  }

  async function moveSlotOf(
    key: string,
    to: ThrowAwayServer,
    halfway: () => Promise<void> = async () => {},
  ): Promise<void> {
    const from = await ownerOf(key);
    if (from === to) return;
    const slot = String(await askRedis(from, 'CLUSTER', 'KEYSLOT', key));
    const setSlot = (of: ThrowAwayServer, ...state: string[]) =>
      askRedis(of, 'CLUSTER', 'SETSLOT', slot, ...state);
    await setSlot(to, 'IMPORTING', await idOf(from));
    await setSlot(from, 'MIGRATING', await idOf(to));
    const keysInSlot = async (most: number) =>
      (await askRedis(from, 'CLUSTER', 'GETKEYSINSLOT', slot, String(most))) as string[];
    const target = ['127.0.0.1', String(to.port), '', '0', String(MOVE_TIMEOUT_MS)];
    const move = (keys: string[]) => askRedis(from, 'MIGRATE', ...target, 'KEYS', ...keys);
    let keys = await keysInSlot(1);
    if (keys.length > 0) await move(keys);
    await halfway();
    for (;;) {
      keys = await keysInSlot(KEYS_MOVED_AT_ONCE);
      if (keys.length === 0) break;
      await move(keys);
    }
    for (const server of [to, from, ...primaries]) {
      if (server.pid !== null) await setSlot(server, 'NODE', await idOf(to));
    }
  }
}

function urlOf(servers: readonly ThrowAwayServer[]): string {
  return `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
}

async function idOf(server: ThrowAwayServer): Promise<string> {
  return String(await askRedis(server, 'CLUSTER', 'MYID'));
}

async function says(server: ThrowAwayServer, line: string): Promise<void> {
  while (!String(await askRedis(server, 'CLUSTER', 'INFO')).includes(line)) await sleep(20);
}
