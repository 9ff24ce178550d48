/**
 * Copies of the data folder, taken at random moments under load, open and have everything that was
 * confirmed by then. `npm run torture -- --power-cuts` is harsher: its images also lose what no sync has
 * confirmed.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { Random } from '../random.ts';
import { checkImage } from './check.ts';
import { Load } from './load.ts';
import { noPromises } from './promises.ts';
import { startReceiver, startServer } from './server.ts';

const COPIES = 4;
const LONGEST_WAIT_MS = 600;
/** All threads of a process stop within this time. */
const STOPPED_WITHIN_MS = 50;

test('a copy of the files, taken at any moment, has everything that was confirmed by then', async () => {
  const folder = await temporaryFolder();
  const dataDir = join(folder, 'data');
  const promises = noPromises();
  const receiver = await startReceiver(promises);
  onTestFinished(() => receiver.close());
  const token = randomBytes(24).toString('hex');
  const server = await startServer(dataDir, token);
  onTestFinished(() => server.kill());
  const load = new Load({ server, receiver, token, promises, random: new Random(token) });
  await load.prepare();
  const running = load.run(120);
  const copies: { copy: string; atMs: number }[] = [];
  for (let i = 0; i < COPIES; i++) {
    await sleep(randomInt(LONGEST_WAIT_MS));
    const copy = join(folder, `copy-${i}`);
    // A copy of changing files would be of no single moment.
    process.kill(server.pid, 'SIGSTOP');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STOPPED_WITHIN_MS);
    cpSync(dataDir, copy, { recursive: true, filter: (file) => !file.endsWith('-shm') });
    copies.push({ copy, atMs: Date.now() });
    process.kill(server.pid, 'SIGCONT');
  }
  load.end();
  await running;
  const masterKey = Buffer.from(readFileSync(join(dataDir, 'master.key'), 'utf8'), 'base64');
  let promised = 0;
  for (const { copy, atMs } of copies) {
    const checked = await checkImage(copy, masterKey, promises, atMs);
    expect(checked.broken).toEqual([]);
    promised += checked.promised;
  }
  expect(promised).toBeGreaterThan(0);
}, 120_000);
