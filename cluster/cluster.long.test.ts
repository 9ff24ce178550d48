import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithOwnPostgres, describeWithOwnRedis, temporaryFolder } from '../test/support.ts';
import { findBalancer } from './balancer.ts';
import { BadUsage, readOptions, roles } from './options.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const LAST_LINE = 'Press Ctrl-C to stop everything and remove the data.';

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
      const { child, folder, lines } = await startMain([
        ...['--nodes', '2', '--roles', 'partner-api,back-office', '--roles', 'delivery'],
      ]);
      const printed = await lines;
      const addresses = printed.flatMap(
        (line) => /^ {2}backOffice +(http\S+)$/.exec(line)?.[1] ?? [],
      );
      expect(addresses).toHaveLength(findBalancer() ? 2 : 1);
      for (const address of addresses) await expect.poll(() => statusOf(address)).toBe(200);
      const pids = printed.flatMap((line) => Number(/process (\d+)/.exec(line)?.[1]) || []);
      expect(pids.filter(isAlive)).toHaveLength(2);
      expect(readdirSync(folder).length).toBeGreaterThan(0);

      child.kill('SIGINT');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(pids.filter(isAlive)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    });

    test('ends what it has started if a node does not start', async () => {
      const { child, folder } = await startMain([], { BELLHOP_NO_SUCH_SETTING: '1' });
      let said = '';
      child.stderr?.on('data', (text) => {
        said += text;
      });
      expect(await once(child, 'exit')).toEqual([1, null]);
      expect(said).toContain('BELLHOP_NO_SUCH_SETTING');
      expect(readdirSync(folder)).toEqual([]);
    });

    test('leaves nothing behind if it is killed', async () => {
      const { child, folder, lines } = await startMain(['--nodes', '1']);
      const [pid = 0] = (await lines).flatMap(
        (line) => Number(/process (\d+)/.exec(line)?.[1]) || [],
      );
      expect(isAlive(pid)).toBe(true);
      child.kill('SIGKILL');
      while (isAlive(pid) || readdirSync(folder).length > 0) await sleep(20);
    });
  });
});

/** Its temporary files are in `folder`; `lines` resolves when everything runs. */
async function startMain(args: string[], env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  // The servers may run as another user.
  chmodSync(folder, 0o755);
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, ...env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const lines = new Promise<string[]>((resolve, reject) => {
    const read: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      read.push(line);
      if (line === LAST_LINE) resolve(read);
    });
    child.once('exit', (code) => reject(new Error(`It ended with ${code}.`)));
  });
  // A test that ends it on purpose does not wait for them.
  lines.catch(() => {});
  return { child, folder, lines };
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
