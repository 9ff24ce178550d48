/**
 * Processor time to the microsecond, from the scheduler's own account in /proc (Linux). On a machine that is
 * busy with other work, it says more than the time on the clock.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Postgres } from './postgres.ts';

/** All threads of a process that are still there. */
export async function cpuMicrosOf(pid: number | undefined): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
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
  return each.reduce((sum, micros) => sum + micros, 0);
}

async function onProcessor(task: string): Promise<number> {
  const text = await readFile(`/proc/${task}/schedstat`, 'utf8').catch(() => '0');
  return Number(text.split(' ')[0]) / 1_000;
}

async function parentOf(pid: string): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name, in brackets, may hold spaces.
  return stat === undefined
    ? undefined
    : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
