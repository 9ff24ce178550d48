import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { describeWithOwnRedis, temporaryFolder } from './support.ts';

describeWithOwnRedis('a throw-away server', () => {
  test.for(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'ends, and its folder is removed, when %s ends the process that started it',
    async (signal) => {
      const tmp = await temporaryFolder();
      const starter = fork(new URL('./start-a-redis.ts', import.meta.url), {
        env: { ...process.env, TMPDIR: tmp },
        execArgv: [],
      });
      const [{ pid, folders }] = await once(starter, 'message');
      expect(isAlive(pid)).toBe(true);
      expect(folders).toHaveLength(1);

      starter.kill(signal);
      await once(starter, 'exit');
      while (isAlive(pid) || folders.some((folder: string) => existsSync(folder))) await sleep(20);
    },
  );
});

// Elsewhere, the children of a child are not known.
describe.skipIf(process.platform !== 'linux')('the processes that tests have started', () => {
  test.for(['SIGTERM', 'SIGINT', 'SIGHUP', 'the end of vitest'] as const)(
    'end with %s, as do theirs',
    async (reason) => {
      const starter = fork(new URL('./start-processes.ts', import.meta.url), { execArgv: [] });
      const [pids] = (await once(starter, 'message')) as [number[]];
      expect(pids).toHaveLength(5);
      expect(pids.filter(isAlive)).toEqual(pids);

      const ended = once(starter, 'exit');
      if (reason === 'the end of vitest') starter.disconnect();
      else starter.kill(reason);
      const [, signal] = await ended;
      expect(signal).toBe(reason === 'the end of vitest' ? 'SIGTERM' : reason);
      while (pids.some(isAlive)) await sleep(20);
    },
  );
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // In a container whose first process does not collect it, an ended process stays as a zombie.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
