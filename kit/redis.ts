import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { folderWith, pathFolders } from './find.ts';
import type { Part } from './part.ts';
import { type Location, startThrowAway, type ThrowAwayServer } from './throw-away-server.ts';

export const redis: Part = {
  name: 'Redis',
  setting: 'BELLHOP_TEST_REDIS_URL',
  aptPackage: 'redis-server',
  howToGet:
    'Install it or Valkey (apt-get install redis-server, brew install redis), or set BELLHOP_TEST_REDIS_URL to a server that the tests may write to.',
  isInstalled: () => findRedis() !== null,
  async start() {
    const server = await startRedisServer();
    return { value: server.url, end: server.end };
  },
};

/** The server's program: Redis, or Valkey, which is compatible. */
export function findRedis(folders = pathFolders()): string | null {
  for (const program of ['redis-server', 'valkey-server']) {
    const folder = folderWith([program], folders);
    if (folder) return join(folder, program);
  }
  return null;
}

/** `settings` are Redis's, such as `--appendonly`, `yes`. */
export async function startRedisServer(settings: readonly string[] = []): Promise<ThrowAwayServer> {
  return startRedisProgram('Redis', ({ folder, port }) => [
    ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
    ...['--save', '', '--appendonly', 'no'],
    ...settings,
  ]);
}

/** The program is also Sentinel. */
export async function startRedisProgram(
  name: string,
  argsFor: (location: Location) => string[],
): Promise<ThrowAwayServer> {
  const program = findRedis();
  if (!program) throw new Error(`Redis is not installed. ${redis.howToGet}`);
  return startThrowAway({
    name,
    accounts: ['redis', 'valkey'],
    serve: (location) => ({ program, args: argsFor(location) }),
    url: ({ port }) => `redis://127.0.0.1:${port}`,
    answers,
    stopSignal: 'SIGTERM',
    endSignal: 'SIGKILL',
  });
}

async function answers(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.setTimeout(2_000, () => socket.destroy(new Error('Redis sends no reply.')));
  try {
    socket.write('PING\r\n');
    const [reply] = await once(socket, 'data');
    if (!String(reply).startsWith('+PONG')) throw new Error(`Redis says ${reply}`);
  } finally {
    socket.destroy();
  }
}
