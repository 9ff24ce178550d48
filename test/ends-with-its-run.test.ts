import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
