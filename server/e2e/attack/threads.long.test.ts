/** One of the two threads ends, fails or hangs: the process gives the reason and exits, to be restarted. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LOST_AFTER_BEATS } from '../../src/main/threads/heartbeat.ts';
import { type BellhopProcess, spawnBellhop } from '../../testing/bellhop.ts';
import { eventually } from '../../testing/eventually.ts';
import { FAST_BEAT_MS } from '../../testing/thread-attacks.ts';
import { call } from '../wire.ts';

// These tests start whole processes, which is slow on a busy machine.
test.each([
  ['exit', 'The services thread (webhooks, back office and portal) ended by itself with code 0.'],
  ['throw', 'The services thread (webhooks, back office and portal) failed: Error: attacked'],
  ['loop', 'The services thread (webhooks, back office and portal) has not answered for 30 s.'],
])(
  'services thread: %s ends the process with exit code 1 and the reason',
  async (attack, sentence) => {
    const bellhop = await spawnAttacked(`services ${attack}`);
    const said = textOf(bellhop);
    const exit = once(bellhop.child, 'exit');
    bellhop.child.kill('SIGUSR2');
    expect(await exit).toEqual([1, null]);
    expect(await said).toContain(`Bellhop stops and must be started again. ${sentence}`);
  },
);

test('main thread in an endless loop: the health checks report it, then the process exits with the reason', async () => {
  const bellhop = await spawnAttacked('main loop');
  const said = textOf(bellhop);
  const exit = once(bellhop.child, 'exit');
  bellhop.child.kill('SIGUSR2');
  const troubles = ['The main thread (partner API) has not answered for 5 s.'];
  const live = await eventually(
    () => call(bellhop.addresses.backOffice, { path: '/health/live' }),
    ({ status }) => status !== 200,
  );
  expect(live).toMatchObject({ status: 503, json: { status: 'not live', troubles } });
  const ready = await call(bellhop.addresses.backOffice, { path: '/health/ready' });
  expect(ready).toMatchObject({ status: 503, json: { status: 'not ready', troubles } });
  // Nothing else ends a process whose main thread hangs.
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect(await said).toContain('The main thread (partner API) has not answered for 30 s.');
});

test('a process that was suspended simply continues', async () => {
  const bellhop = await spawnAttacked('nothing');
  bellhop.child.kill('SIGSTOP');
  await sleep(2 * LOST_AFTER_BEATS * FAST_BEAT_MS);
  bellhop.child.kill('SIGCONT');
  for (const path of ['/health/live', '/health/ready']) {
    // Heartbeats this fast may be late on a busy machine; what matters is that the process does not exit.
    await eventually(
      () => call(bellhop.addresses.backOffice, { path }),
      ({ status }) => status === 200,
    );
  }
  const exit = once(bellhop.child, 'exit');
  bellhop.child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

function spawnAttacked(attack: string): Promise<BellhopProcess> {
  const preload = new URL('../../testing/thread-attacks.ts', import.meta.url);
  return spawnBellhop({ ATTACK: attack }, { preload });
}

/** What it prints to stderr from now on. */
async function textOf({ child }: BellhopProcess): Promise<string> {
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  return text;
}
