/**
 * Processor time to the microsecond, from the scheduler's own account in /proc (Linux). On a machine that is
 * busy with other work, it says more than the time on the clock.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Postgres } from './postgres.ts';

/** All threads of a process that are still there. NaN without /proc. */
export async function cpuMicrosOf(pid: number | undefined): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => undefined);
  if (!threads) return Number.NaN;
  const each = await Promise.all(threads.map((thread) => onProcessor(`${pid}/task/${thread}`)));
  return each.reduce((sum, micros) => sum + micros, 0);
}

/** PostgreSQL is a process for each connection, and some for its own work. */
export async function cpuMicrosOfPostgres(postgres: Postgres | undefined): Promise<number> {
  if (!postgres) return 0;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const each = await Promise.all(
    pids.map(async (pid) => {
      const isOurs = Number(pid) === postgres.pid || (await parentOf(pid)) === postgres.pid;
      return isOurs ? onProcessor(pid) : 0;
    }),
  );
  // Without them, a connection that ends would take its time away.
  const ended = await endedChildren(String(postgres.pid));
  return each.reduce((sum, micros) => sum + micros, ended);
}

/** What the children that have ended used, in ticks of 10 ms: the 16th and 17th field. */
async function endedChildren(pid: string): Promise<number> {
  const fields = await statOf(pid);
  return fields ? (Number(fields[13]) + Number(fields[14])) * 10_000 : 0;
}

async function onProcessor(task: string): Promise<number> {
  const text = await readFile(`/proc/${task}/schedstat`, 'utf8').catch(() => '0');
  return Number(text.split(' ')[0]) / 1_000;
}

async function parentOf(pid: string): Promise<number | undefined> {
  const fields = await statOf(pid);
  return fields && Number(fields[1]);
}

/** From the third field on; the second, the name in brackets, may hold spaces. */
async function statOf(pid: string): Promise<string[] | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}
