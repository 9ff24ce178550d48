/** A Bellhop under strace, with a receiver for its webhooks. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment, Promises } from './promises.ts';
import { CALLS } from './recording.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'server', 'bin', 'bellhop.js');
const READY = 'ready ';
/** More than SQLite writes at once. */
const LONGEST_WRITE_BYTES = 70_000;
const WRITTEN_OUT_WITHIN_MS = 60_000;
/** The last lines of a recording: the end of each thread. */
const TAIL_BYTES = 20_000;

export const hasStrace = () => spawnSync('strace', ['--version']).status === 0;

export interface RecordedServer {
  addresses: Record<Environment | 'backOffice', string>;
  /** kill -9; resolves when the recording is complete. */
  kill(): Promise<void>;
}

export async function startRecorded(
  settings: Record<string, string>,
  recording: string,
): Promise<RecordedServer> {
  // -D: the tracer is not the parent, so that signals reach Bellhop itself.
  const how = ['-D', '-f', '--seccomp-bpf', '-y', '-ttt', '-xx', '-s', String(LONGEST_WRITE_BYTES)];
  const args = [...how, '-e', `trace=${CALLS}`, '-o', recording];
  const child = spawn('strace', [...args, process.execPath, PROGRAM, 'serve'], {
    env: { PATH: process.env.PATH ?? '', ...settings, UV_USE_IO_URING: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const exit = once(child, 'exit');
  const addresses = await new Promise<RecordedServer['addresses']>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith(READY)) resolve(JSON.parse(line.slice(READY.length)));
    });
    child.once('exit', (code) => reject(new Error(`Bellhop ended with ${code} while starting.`)));
  });
  return {
    addresses,
    async kill() {
      child.kill('SIGKILL');
      await exit;
      process.off('exit', killWithUs);
      await writtenOut(recording, `${child.pid} `);
    },
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
  close(): void;
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (environment) => `http://127.0.0.1:${port}/${environment}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
