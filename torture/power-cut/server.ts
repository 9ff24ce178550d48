/** A Bellhop, if wanted under strace, and a receiver for its webhooks. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Addresses, FREE_PORTS, ready, serve } from '../../kit/bellhop.ts';
import { listen } from '../../kit/listen.ts';
import { LOOPBACK_RECEIVERS } from '../../server/testing/settings.ts';
import type { Environment, Promises } from './promises.ts';
import { CALLS } from './recording.ts';

/** More than SQLite writes at once. */
const LONGEST_WRITE_BYTES = 70_000;
const WRITTEN_OUT_WITHIN_MS = 60_000;
/** The last lines of a recording: the end of each thread. */
const TAIL_BYTES = 20_000;

export const hasStrace = () => spawnSync('strace', ['--version']).status === 0;

export interface TestServer {
  addresses: Addresses;
  pid: number;
  /** kill -9; resolves when the recording is complete. */
  kill(): Promise<void>;
}

/** `recording` is the file for strace's output; without it there is no strace. */
export async function startServer(
  dataDir: string,
  token: string,
  recording?: string,
): Promise<TestServer> {
  const server = serve(
    { ...settingsFor(dataDir, token), UV_USE_IO_URING: '0' },
    { stderr: 'inherit', ...(recording !== undefined && { through: traced(recording) }) },
  );
  return {
    addresses: await ready(server),
    pid: server.child.pid as number,
    async kill() {
      await server.end('SIGKILL');
      if (recording !== undefined) await writtenOut(recording, `${server.child.pid} `);
    },
  };
}

function traced(recording: string): string[] {
  // -D: the tracer is not the parent, so that signals reach Bellhop itself.
  const how = ['-D', '-f', '--seccomp-bpf', '-y', '-ttt', '-xx', '-s', String(LONGEST_WRITE_BYTES)];
  return ['strace', ...how, '-e', `trace=${CALLS}`, '-o', recording];
}

function settingsFor(dataDir: string, token: string): Record<string, string> {
  return {
    BELLHOP_DATA_DIR: dataDir,
    ...FREE_PORTS,
    ...LOOPBACK_RECEIVERS,
    BELLHOP_ADMIN_TOKEN: token,
    BELLHOP_DEMO: 'off',
    BELLHOP_LOG_LEVEL: 'warn',
  };
}

/** strace writes until it has seen the main thread end. */
async function writtenOut(recording: string, mainThread: string): Promise<void> {
  const giveUpAtMs = Date.now() + WRITTEN_OUT_WITHIN_MS;
  while (Date.now() < giveUpAtMs) {
    const lines = tailOf(recording).split('\n');
    if (lines.some((line) => line.startsWith(mainThread) && line.endsWith('+++'))) return;
    await sleep(50);
  }
  throw new Error(`${recording} is incomplete: strace has not reported the end of Bellhop.`);
}

function tailOf(file: string): string {
  const { size } = statSync(file);
  const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
  const descriptor = openSync(file, 'r');
  readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
  closeSync(descriptor);
  return bytes.toString('latin1');
}

export interface Receiver {
  urlOf(environment: Environment): string;
  close(): Promise<void>;
}

/** Notes the first arrival of each event; refuses every tenth webhook. */
export async function startReceiver({ arrivalsMs }: Promises): Promise<Receiver> {
  let count = 0;
  const server = createServer((request, response) => {
    const environment = request.url?.slice(1);
    const key = `${environment} ${request.headers['webhook-id']}`;
    if (!arrivalsMs.has(key)) arrivalsMs.set(key, Date.now());
    request.resume();
    count++;
    response.writeHead(count % 10 === 0 ? 500 : 200).end('{}');
  });
  const { url, close } = await listen(server);
  return { urlOf: (environment) => `${url}/${environment}`, close };
}
