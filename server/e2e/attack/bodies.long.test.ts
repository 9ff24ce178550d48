/** Requests to the back office that are as expensive as their sender can make them. */
import { expect, test } from 'vitest';
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
          const times = () => mean(costs) / mean(cheap);
          const measureBody = async () => costs.push(await costOf(bellhop, operation, body));
          const measureControl = async () => cheap.push(await costOf(bellhop, operation, control));
          // The same work takes up to four times as long if memory is collected in it, which is often that of the request
          // before. So each comes first in turns, and its whole cost counts: with a median, or always in the same order, one
          // of the two can be without collections and the other never.
          for (let round = 1; round < ROUNDS && times() > most; round++) {
            const both = [measureBody, measureControl];
            for (const measure of round % 2 === 1 ? both : both.reverse()) await measure();
          }
          const row = `${operation.id}, ${body.length} bytes, ${name}: ${mean(costs)} µs, control ${mean(cheap)} µs`;
          if (process.env.PRINT_COSTS) console.log(times().toFixed(1), row);
          if (times() > most) tooExpensive.push(row);
        }
      }
    }
    expect(tooExpensive).toEqual([]);
  },
);

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}

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
