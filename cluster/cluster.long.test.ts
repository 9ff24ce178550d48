import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startProcess } from '../kit/process.ts';
import { describeWithOwnPostgres, describeWithOwnRedis, temporaryFolder } from '../test/support.ts';
import { findBalancer } from './balancer.ts';
import { BadUsage, readOptions, roles } from './options.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const LAST_LINE = /^Press Ctrl-C to stop everything and remove the data\.$/;

test('the n-th list of roles is for the n-th node, and the last one for all further nodes', () => {
  expect(readOptions([])).toEqual({ nodes: [roles, roles] });
  expect(
    readOptions(['--nodes', '3', '--roles', 'partner-api, back-office', '--roles', 'delivery']),
  ).toEqual({ nodes: [['partner-api', 'back-office'], ['delivery'], ['delivery']] });
});

test.for([
  ['--nodes', '0'],
  ['--nodes', '17'],
  ['--roles', 'partner'],
  ['--nodes', '1', '--roles', 'delivery', '--roles', 'delivery'],
  ['--what'],
])('%j is refused', (args) => {
  expect(() => readOptions(args)).toThrow(BadUsage);
});

describeWithOwnPostgres('a cluster', () => {
  describeWithOwnRedis('with Redis', () => {
    test('serves through every address and leaves nothing behind after Ctrl-C', async () => {
      const { folder, line, lines, end } = await startMain([
        ...['--nodes', '2', '--roles', 'partner-api,back-office', '--roles', 'delivery'],
      ]);
      await line(LAST_LINE);
      const addresses = lines.flatMap(
        (line) => /^ {2}backOffice +(http\S+)$/.exec(line)?.[1] ?? [],
      );
      expect(addresses).toHaveLength(findBalancer() ? 2 : 1);
      for (const address of addresses) await expect.poll(() => statusOf(address)).toBe(200);
      const pids = lines.flatMap((line) => Number(/process (\d+)/.exec(line)?.[1]) || []);
      expect(pids.filter(isAlive)).toHaveLength(2);
      expect(readdirSync(folder).length).toBeGreaterThan(0);

      expect(await end('SIGINT')).toEqual({ code: 0, signal: null });
      expect(pids.filter(isAlive)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    });

    test('ends what it has started if a node does not start', async () => {
      const { folder, line, exit } = await startMain([], { BELLHOP_NO_SUCH_SETTING: '1' });
      await expect(line(LAST_LINE)).rejects.toThrow('BELLHOP_NO_SUCH_SETTING');
      expect(await exit).toEqual({ code: 1, signal: null });
      expect(readdirSync(folder)).toEqual([]);
    });

    test('leaves nothing behind if it is killed', async () => {
      const { folder, line, lines, end } = await startMain(['--nodes', '1']);
      await line(LAST_LINE);
      const [pid = 0] = lines.flatMap((line) => Number(/process (\d+)/.exec(line)?.[1]) || []);
      expect(isAlive(pid)).toBe(true);
      await end('SIGKILL');
      while (isAlive(pid) || readdirSync(folder).length > 0) await sleep(20);
    });
  });
});

/** Its temporary files are in `folder`. It prints `LAST_LINE` when everything runs. */
async function startMain(args: string[], env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  // The servers may run as another user.
  chmodSync(folder, 0o755);
  const started = startProcess([process.execPath, MAIN, ...args], {
    env: { ...process.env, ...env, TMPDIR: folder },
  });
  onTestFinished(async () => void (await started.end('SIGKILL')));
  return { ...started, folder };
}

async function statusOf(address: string): Promise<number | undefined> {
  const reply = await fetch(`${address}/health/ready`).catch(() => undefined);
  return reply?.status;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
