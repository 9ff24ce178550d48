/** A log that cannot be written: a full disk, a reader that stalls or exits. Calls and stops are not delayed. */
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, temporaryFolder } from '../../../test/support.ts';
import {
  type BellhopProcess,
  settingsForTest,
  spawnBellhop,
  spawnServe,
  withHelpers,
} from '../../testing/bellhop.ts';
import { eventually } from '../../testing/eventually.ts';
import { call } from '../wire.ts';

// These tests start whole processes, which is slow on a busy machine.
/** The promised time for a stop. */
const LONGEST_STOP_MS = 15_000;
const LOGGING = { BELLHOP_LOG_LEVEL: 'info' };
const PIPELINED = 1_000;

test.skipIf(!existsSync('/dev/full'))(
  'on a full disk, neither the log nor the start-up text delays a call or the stop',
  async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    // The ready line cannot be written, so the ports must be known in advance.
    const [production, sandbox, backOffice, portal] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const settings = await settingsForTest({
      ...LOGGING,
      BELLHOP_PRODUCTION_PORT: String(production),
      BELLHOP_SANDBOX_PORT: String(sandbox),
      BELLHOP_BACK_OFFICE_PORT: String(backOffice),
      BELLHOP_PORTAL_PORT: String(portal),
    });
    const { child } = spawnServe(settings, { stdout: full, stderr: full });
    const addresses = {
      production: `http://127.0.0.1:${production}`,
      sandbox: `http://127.0.0.1:${sandbox}`,
      backOffice: `http://127.0.0.1:${backOffice}`,
      portal: `http://127.0.0.1:${portal}`,
    };
    const live = () => call(addresses.backOffice, { path: '/health/live' }).catch(() => undefined);
    await eventually(live, (reply) => reply !== undefined);
    const { newKey } = withHelpers(addresses, async () => {});
    const { authorization } = await newKey('sandbox');
    await flood(addresses.sandbox, PIPELINED);
    await flood(addresses.sandbox, PIPELINED);
    expect((await call(addresses.sandbox, { authorization })).status).toBe(200);
    expect((await live())?.status).toBe(200);
    await expectOrderlyStop(child);
  },
);

test('a reader that stalls delays no call; dropped lines are counted and reported once', async () => {
  const reader = await openPipe();
  const bellhop = await spawnBellhop(LOGGING, { stderr: reader.writeEnd });
  const { authorization } = await bellhop.newKey('sandbox');
  const flooded = await floodUntilDropped(bellhop);
  expect((await call(bellhop.addresses.sandbox, { authorization })).status).toBe(200);
  expect((await call(bellhop.addresses.backOffice, { path: '/health/live' })).status).toBe(200);

  const lines = await reader.readUntil((line) => line.dropped !== undefined);
  const dropped = await droppedLines(bellhop);
  expect(lines.at(-1)).toMatchObject({ level: 'warn', dropped });
  expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(flooded + 1 - dropped);

  // It stalls again, which must not delay the stop.
  await flood(bellhop.addresses.sandbox, PIPELINED);
  await expectOrderlyStop(bellhop.child);
});

test('a reader that exits delays neither calls nor the stop', async () => {
  const bellhop = await spawnBellhop(LOGGING);
  const { authorization } = await bellhop.newKey('sandbox');
  bellhop.child.stderr?.destroy();
  bellhop.child.stdout?.destroy();
  await flood(bellhop.addresses.sandbox, PIPELINED);
  expect((await call(bellhop.addresses.sandbox, { authorization })).status).toBe(200);
  await expectOrderlyStop(bellhop.child);
});

test('lines logged right before a stop are written completely', async () => {
  const reader = await openPipe();
  const bellhop = await spawnBellhop(LOGGING, { stderr: reader.writeEnd });
  const { authorization } = await bellhop.newKey('sandbox');
  const reading = reader.readUntil(({ key_id }) => key_id !== undefined);
  await flood(bellhop.addresses.sandbox, PIPELINED);
  await call(bellhop.addresses.sandbox, { authorization });
  await expectOrderlyStop(bellhop.child);
  expect(await reading).toHaveLength(PIPELINED + 1);
});

async function expectOrderlyStop(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(LONGEST_STOP_MS) });
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
}

/** Resolves to the number of calls, all of them answered. */
async function floodUntilDropped(bellhop: BellhopProcess): Promise<number> {
  let calls = 0;
  while ((await droppedLines(bellhop)) === 0) {
    await flood(bellhop.addresses.sandbox, PIPELINED);
    calls += PIPELINED;
  }
  return calls;
}

async function droppedLines({ addresses }: BellhopProcess): Promise<number> {
  const { text } = await call(addresses.backOffice, { path: '/metrics' });
  return Number(/^bellhop_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

/** Calls that are refused quickly and produce long log lines. */
async function flood(address: string, calls: number): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const request = `GET /${'x'.repeat(300)} HTTP/1.1\r\nhost: x\r\n\r\n`;
  socket.write(request.repeat(calls));
  let answered = 0;
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    const replies = text.split('HTTP/1.1 ');
    answered += replies.length - 1;
    text = replies.at(-1) ?? '';
    if (answered === calls) break;
  }
  expect(answered).toBe(calls);
}

interface LogLine {
  msg: string;
  dropped?: number;
  key_id?: string;
}

/** A real pipe, such as a shell or container runtime creates; nothing is read until the test asks. */
async function openPipe() {
  const path = join(await temporaryFolder(), 'log');
  await promisify(execFile)('mkfifo', [path]);
  const readEnd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const writeEnd = openSync(path, 'w');
  const socket = new Socket({ fd: readEnd, readable: true, writable: false });
  onTestFinished(() => {
    socket.destroy();
    closeSync(writeEnd);
  });
  return {
    writeEnd,
    /** Reads every line up to the first match; each must be JSON. Then it stalls again. */
    async readUntil(isWanted: (line: LogLine) => boolean): Promise<LogLine[]> {
      const lines: LogLine[] = [];
      let rest = '';
      return new Promise((resolve, reject) => {
        socket.on('data', function read(chunk) {
          const parts = (rest + chunk).split('\n');
          rest = parts.pop() ?? '';
          try {
            for (const part of parts) lines.push(JSON.parse(part));
          } catch (error) {
            reject(error);
          }
          const wanted = lines.findIndex(isWanted);
          if (wanted === -1) return;
          socket.off('data', read);
          socket.pause();
          resolve(lines.slice(0, wanted + 1));
        });
      });
    },
  };
}
