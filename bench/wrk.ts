/** The load generator: wrk, written in C, so that making requests costs less than answering them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Started } from './processes.ts';
import type { Round, Side } from './side-by-side.ts';

const CONNECTIONS = 64;
const ROUND_SECONDS = 1;
/** A new process needs some time until its code is compiled. */
const WARM_UP_SECONDS = 2;

export interface Load {
  url: string;
  /** One `Authorization` value a line; calls take them in turn, or at random. */
  authorizations: string;
  pick?: 'in turn' | 'at random';
  connections?: number;
  method?: 'GET' | 'POST';
  body?: string;
  /** The load is to be refused; otherwise a refusal fails the bench. */
  isRefused?: boolean;
}

export interface Measured {
  callsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Throws if any call failed or was refused, unless that is wanted, because such an answer is cheaper. */
export async function runWrk(load: Load, seconds = ROUND_SECONDS): Promise<Measured> {
  const { url, authorizations, pick = 'in turn', method = 'GET', body = '' } = load;
  const { connections = CONNECTIONS, isRefused = false } = load;
  const script = join(import.meta.dirname, 'wrk', 'calls.lua');
  const start = String(Math.floor(Math.random() * 2 ** 30));
  const wrk = spawn(
    'wrk',
    [
      ...['--threads', '1', '--connections', String(connections)],
      ...['--duration', `${seconds}s`, '--script', script, url],
      ...['--', authorizations, pick, start, method, body],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const output = text(wrk.stdout);
  try {
    await once(wrk, 'exit');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      'wrk is not installed. Debian and Ubuntu: apt install wrk; macOS: brew install wrk.',
    );
  }
  const json = (await output).split('\n').find((line) => line.startsWith('{'));
  if (!json) throw new Error(`wrk did not report: ${await output}`);
  const { failed, ...measured } = JSON.parse(json) as Measured & { failed: number };
  if (isRefused && failed === 0) throw new Error(`no call of ${url} was refused`);
  if (!isRefused && failed > 0) throw new Error(`${failed} calls of ${url} failed or were refused`);
  return measured;
}

export async function warmUp(...loads: Load[]): Promise<void> {
  for (const load of loads) await runWrk(load, WARM_UP_SECONDS);
}

/** A side whose figure is calls per second. */
export function callsPerSecond(name: string, server: Started, load: Load): Side {
  return { name, measure: () => measureCalls(server, load) };
}

/** Calls per second, with latencies and CPU time as details. */
export async function measureCalls(server: Started, load: Load): Promise<Round> {
  const cpuBefore = await server.cpuMs();
  const { callsPerSecond: figure, p50Ms, p99Ms } = await runWrk(load);
  const cpuAfter = await server.cpuMs();
  const cpuMicrosPerCall = ((cpuAfter - cpuBefore) * 1_000) / (figure * ROUND_SECONDS);
  return { figure, details: { p50Ms, p99Ms, cpuMicrosPerCall } };
}
