/**
 * Fills Node's cache of compiled code, for an image whose files cannot be changed later: without it,
 * every start in a read-only container would compile Bellhop again. It starts Bellhop once on data that
 * is thrown away, then loads what only PostgreSQL, Redis and forwarding need.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);

await startOnce();
// The same folder as in server/bin/bellhop.js. After the start, because Node writes each file only once,
// and a file that has run holds more compiled code than one that was only loaded.
module.enableCompileCache(fileURLToPath(new URL('node_modules/.cache/bellhop', root)));
for (const file of [
  'store/postgres/open.ts',
  'store/back-office/postgres.ts',
  'limiter/redis/shared-limiter.ts',
  'gateway/forward.ts',
]) {
  await import(new URL(`server/src/${file}`, root).href);
}
// Loading leaves nothing open, but a client library might.
module.flushCompileCache();
process.exit(0);

async function startOnce() {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-warm-up-'));
  const server = spawn(
    process.execPath,
    [fileURLToPath(new URL('server/bin/bellhop.js', root)), 'serve'],
    {
      env: {
        ...process.env,
        BELLHOP_HOST: '127.0.0.1',
        BELLHOP_PRODUCTION_PORT: '0',
        BELLHOP_SANDBOX_PORT: '0',
        BELLHOP_BACK_OFFICE_PORT: '0',
        BELLHOP_PORTAL_PORT: '0',
        BELLHOP_DATA_DIR: folder,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(server, 'exit');
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.startsWith('ready ')) server.kill('SIGTERM');
  }
  const [code] = await ended;
  await rm(folder, { recursive: true });
  if (code !== 0) throw new Error(`Bellhop ended with ${code} instead of starting and stopping.`);
}
