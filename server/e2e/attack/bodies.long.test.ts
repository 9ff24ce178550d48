/** Requests to the back office that are as expensive as their sender can make them. */
import { expect, test } from 'vitest';
import { median } from '../../../bench/bench.ts';
import { spawnBellhop, startBellhop } from '../../testing/bellhop.ts';
import { head, openWire } from '../wire.ts';
import { attacksOn, costOf, limitOf, operationsWithBody } from './worst-bodies.ts';

const MOST_TIMES_CONTROL = 3;
/** The engine copies a string as it is, but reads escapes one by one: up to 3.4 times as long by itself. */
const MOST_TIMES_CONTROL_WITH_ESCAPES = 5;
const ROUNDS = 10;

const onLinux = test.runIf(process.platform === 'linux');

onLinux(
  'no JSON costs an operation much more per byte than one long string of the same size',
  async () => {
    const bellhop = await spawnBellhop({ BELLHOP_ROLES: 'back-office' });
    const { body: document } = await bellhop.support('GET', '/openapi.json');
    const operations = operationsWithBody(document);
    expect(operations.length).toBeGreaterThan(15);
    const tooExpensive: string[] = [];
    for (const operation of operations) {
      const bytes = await limitOf(bellhop, operation);
      for (const { bodies, control } of attacksOn(operation, bytes)) {
        const cheap = [await costOf(bellhop, operation, control)];
        for (const [name, body] of bodies) {
          const most = name.includes('escape')
            ? MOST_TIMES_CONTROL_WITH_ESCAPES
            : MOST_TIMES_CONTROL;
          const costs = [await costOf(bellhop, operation, body)];
          const times = () => median(costs) / median(cheap);
          // The same work takes up to four times as long if memory is collected in it, or on a busy machine. By their
          // medians, no body is compared with a control that was only lucky.
          for (let round = 1; round < ROUNDS && times() > most; round++) {
            costs.push(await costOf(bellhop, operation, body));
            cheap.push(await costOf(bellhop, operation, control));
          }
          const row = `${operation.id}, ${body.length} bytes, ${name}: ${median(costs)} µs, control ${median(cheap)} µs`;
          if (process.env.PRINT_COSTS) console.log(times().toFixed(1), row);
          if (times() > most) tooExpensive.push(row);
        }
      }
    }
    expect(tooExpensive).toEqual([]);
  },
);

test('sign-ins with 120,000 unknown fields are refused without being read', async () => {
  const bellhop = await startBellhop({ BELLHOP_ROLES: 'back-office' });
  const fields = Array.from({ length: 120_000 }, (_, n) => `"${n}":0`);
  const body = `{${fields.join(',')}}`;
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const request = head('POST /console/session', headers) + body;
  const statuses = await Promise.all(
    Array.from({ length: 160 }, async () => {
      const wire = await openWire(bellhop.addresses.backOffice);
      wire.write(request);
      const { status } = await wire.next();
      wire.socket.destroy();
      return status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([413]));
});
