import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../../testing/delivery-rig.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { expectDrains } from '../../../testing/queue-checks.ts';
import { step, World } from '../../../testing/queue-model.ts';
import { QueueOwner } from '../../../testing/queue-owner.ts';

/** Each run costs 40 ms of processor time. `PROPERTY_RUNS=10` runs ten times as many: do so after a change to the queue. */
const RUNS = { sqlite: 50, postgres: 15 };
const TIMES = Number(process.env.PROPERTY_RUNS ?? 1);

describeOnEachStore('any sequence of operations matches the model', (newDatabase, engine) => {
  let rigs: [Rig, Rig];
  let owner: QueueOwner;
  beforeAll(async () => {
    const database = await newDatabase();
    const options = { clock: new ManualClock(), atEnd: () => {} };
    const first = await Rig.open(database, options);
    // SQLite has one process: its second node is the same store after a restart.
    rigs = [first, engine === 'sqlite' ? first : await Rig.open(database, options)];
    owner = await QueueOwner.of(first);
  });
  afterAll(async () => {
    for (const rig of new Set(rigs)) await rig.close();
  });

  test.each([
    ['any: due deliveries begin, the longest due first', false],
    ['per_order: the first of each order begins, and none waits without a reason', true],
  ])(
    'delivery_order %s',
    async (_, ordered) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
          async (steps) => {
            const midoffice = await rigs[0].midoffice('http://127.0.0.1:9/', {
              max_in_flight: 256,
              delivery_order: ordered ? 'per_order' : 'any',
            });
            owner.forget();
            const world = new World(rigs, midoffice, owner, ordered);
            try {
              for (const step of steps) await world.play(step);
              await world.expectAsModelled();
              await expectDrains(world.owner, midoffice.id);
            } finally {
              owner = world.owner;
            }
          },
        ),
        { numRuns: RUNS[engine] * TIMES },
      );
    },
    120_000 * TIMES,
  );
});
