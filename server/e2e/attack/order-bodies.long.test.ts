/** Bodies of order events that are together far larger than what Bellhop takes into memory. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { MOST_BODY_BYTES } from '../../src/delivery/orders/intake.ts';
import { MOST_EVENTS } from '../../src/office/order-schemas.ts';
import { ADMIN_TOKEN, type BellhopProcess, spawnBellhop } from '../../testing/bellhop.ts';
import { EVENTS } from '../webhook-bellhop.ts';
import { head, openWire, type Wire } from '../wire.ts';

const BODIES = 64;
const BODY_BYTES = 31 * 1_048_576;
const PIECE_BYTES = 131_072;
/** With the bound it is twice, most of it garbage that is not collected yet; without, it was 7 times. */
const MOST_TIMES_CONTROL = 4;

/** The memory that it takes is as large as its JSON. */
const event = JSON.stringify({
  event_id: '🧳'.repeat(128),
  type: 'created',
  partner_id: 'par_1',
  partner_order_id: '🧳'.repeat(256),
  agreement_number: '🧳'.repeat(1_024),
  status: '🧳'.repeat(1_024),
});
const beginningOf = (events: number) => `{"events":[${Array(events).fill(event).join(',')}`;

test.runIf(process.platform === 'linux')(
  '64 chunked bodies of 31 MiB take little more memory than 64 that fit in together',
  async () => {
    const bellhop = await spawnBellhop({ BELLHOP_ROLES: 'back-office' });
    const fitting = Math.floor(MOST_BODY_BYTES / BODIES / Buffer.byteLength(`${event},`));
    const small = Buffer.from(`${beginningOf(fitting)}]}`);
    const control = await growthWhile(bellhop, async (wires) => {
      const statuses = wires.map((wire) => sendUntilAnswered(wire, small));
      expect(new Set(await Promise.all(statuses))).toEqual(new Set([422]));
    });
    const large = Buffer.alloc(BODY_BYTES, ' ');
    large.write(beginningOf(MOST_EVENTS));
    const attack = await growthWhile(bellhop, async (wires) => {
      const answers: number[] = [];
      await new Promise<void>((resolve) => {
        const answered = (status: number) => {
          // The last one has room, because it is alone. It is cut off afterwards.
          if (answers.push(status) === BODIES - 1) resolve();
        };
        for (const wire of wires) sendUntilAnswered(wire, large).then(answered, () => {});
      });
      expect(new Set(answers)).toEqual(new Set([503]));
    });
    expect(attack).toBeLessThan(MOST_TIMES_CONTROL * control);
  },
);

/** The most memory that the process has meanwhile, beyond what it had before. */
async function growthWhile(
  { child, addresses }: BellhopProcess,
  happening: (wires: Wire[]) => Promise<void>,
): Promise<number> {
  const wires = await Promise.all(
    Array.from({ length: BODIES }, () => openWire(addresses.backOffice)),
  );
  const hangUp = () => {
    for (const { socket } of wires) socket.destroy();
  };
  onTestFinished(hangUp);
  // Makes the kernel forget the peak so far.
  await writeFile(`/proc/${child.pid}/clear_refs`, '5');
  const before = await kilobytesOf(child.pid, 'VmRSS');
  await happening(wires);
  const peak = await kilobytesOf(child.pid, 'VmHWM');
  hangUp();
  return peak - before;
}

async function kilobytesOf(pid: number | undefined, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
}

/** The body is one chunk. Resolves to the status. */
async function sendUntilAnswered({ socket, write, next }: Wire, body: Buffer): Promise<number> {
  let isAnswered = false;
  const reply = next().finally(() => {
    isAnswered = true;
  });
  write(
    head(`POST ${EVENTS}`, {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    }),
  );
  write(`${body.length.toString(16)}\r\n`);
  for (let at = 0; at < body.length && !isAnswered; at += PIECE_BYTES) {
    const isFull = !socket.write(body.subarray(at, at + PIECE_BYTES));
    if (isFull)
      await Promise.race([reply, new Promise((resolve) => socket.once('drain', resolve))]);
  }
  if (!isAnswered) write('\r\n0\r\n\r\n');
  return (await reply).status;
}
