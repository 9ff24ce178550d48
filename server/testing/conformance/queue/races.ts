/** Every pair of operations that could get in each other's way. See queue-races.ts. */
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import type { Due } from '../../../src/delivery/stages.ts';
import { type Race, RETRY, together, twoNodes } from '../../queue-races.ts';

/** Each race is repeated, because the winner differs from round to round. */
export function racesConformance(times: number): void {
  describeWithPostgres('two operations at once', (_empty, databaseWithTables) => {
    const races = twoNodes(databaseWithTables);

    function rounds(
      name: string,
      body: (race: Race) => Promise<void>,
      { ordered = true } = {},
    ): void {
      test(name, () => races.race(ordered, body, times));
    }

    async function inFlight(race: Race, orders: readonly string[]): Promise<[Due, ...Due[]]> {
      await race.accept(orders, 0);
      return (await race.begin()) as [Due, ...Due[]];
    }

    for (const how of ['delivered', 'exhausted'] as const) {
      rounds(`a follower is accepted while the event ahead is settled: ${how}`, async (race) => {
        const [first] = await inFlight(race, ['a']);
        await together(race.accept(['a', 'a'], 1), race.settle(new Map([[first, how]])));
        await race.expectSound();
        expect(await race.begin()).toHaveLength(1);
      });

      rounds(`a follower is cancelled while the event ahead is settled: ${how}`, async (race) => {
        const [first] = await inFlight(race, ['a', 'a', 'a', 'a']);
        await together(
          race.settle(new Map([[first, how]])),
          race.cancel(race.ids[1], 1),
          race.cancel(race.ids[2], 0),
        );
        await race.expectSound();
        expect(await race.begin()).toHaveLength(1);
      });

      rounds(`due work is read while the event ahead is settled: ${how}`, async (race) => {
        const [first] = await inFlight(race, ['a']);
        await race.accept(['a', 'a'], 1);
        await together(race.begin(), race.settle(new Map([[first, how]])));
        await race.expectSound();
      });

      rounds(`a node takes over while attempts are settled: ${how}`, async (race) => {
        const due = await inFlight(race, ['a', 'b', 'a', 'b']);
        const before = race.owner;
        await together(
          race.takeOver(),
          ...due.map((one) => race.settle(new Map([[one, how]]), before)),
        );
        await race.expectSound();
        expect(await race.begin()).toHaveLength(2);
      });
    }

    rounds('due work is read while the event ahead is cancelled', async (race) => {
      await race.accept(['a', 'a', 'a'], 0);
      await together(race.begin(), race.cancel(race.ids[0], 1));
      await race.expectSound();
    });

    rounds('an earlier event is cancelled while a later one is delivered', async (race) => {
      const [first] = await inFlight(race, ['a', 'a', 'a']);
      await race.settle(new Map([[first, 'exhausted']]));
      const [second] = (await race.begin()) as [Due];
      // Now two events are ahead of the third, and both leave at the same moment.
      await race.retry(race.ids[0], 0);
      await together(race.cancel(race.ids[0], 1), race.settle(new Map([[second, 'delivered']])));
      await race.expectSound();
    });

    rounds('two events are cancelled that a third one waits for', async (race) => {
      const [first] = await inFlight(race, ['a', 'a', 'a']);
      await race.settle(new Map([[first, RETRY]]));
      await race.cancel(race.ids[1], 0);
      await race.retry(race.ids[1], 0);
      await together(race.cancel(race.ids[0], 0), race.cancel(race.ids[1], 1));
      await race.expectSound();
      expect(await race.begin()).toHaveLength(1);
    });

    for (const how of ['delivered', 'exhausted', RETRY] as const) {
      for (const ordered of [false, true]) {
        const name = `${JSON.stringify(how)}, ${ordered ? 'one order' : 'any order'}`;

        rounds(
          `a cancelled delivery is replayed while its attempt is settled: ${name}`,
          async (race) => {
            const [first] = await inFlight(race, ['a']);
            await race.cancel(race.ids[0], 0);
            await together(race.retry(race.ids[0], 1), race.settle(new Map([[first, how]])));
            await race.expectSound();
            await race.settle(new Map((await race.begin()).map((due) => [due, 'exhausted'])));
          },
          { ordered },
        );

        rounds(
          `a retry is requested while the attempt is settled: ${name}`,
          async (race) => {
            const [first] = await inFlight(race, ['a']);
            races.rigs[0].clock.advance(1);
            let isDone = false;
            await together(
              race.retry(race.ids[0], 1).then((done) => {
                isDone = done;
              }),
              race.settle(new Map([[first, how]])),
            );
            await race.expectSound();
            const { state } = await race.stateOf(race.ids[0] as string);
            const next = await race.begin();
            if (isDone && how !== 'delivered') expect(next).toMatchObject([{ attempts_made: 1 }]);
            if (isDone) expect(['pending', 'delivered']).toContain(state);
          },
          { ordered },
        );

        rounds(
          `a delivery is cancelled while its attempt is settled: ${name}`,
          async (race) => {
            const [first] = await inFlight(race, ['a', 'a']);
            await together(race.cancel(race.ids[0], 1), race.settle(new Map([[first, how]])));
            const { state } = await race.stateOf(race.ids[0] as string);
            const settled = typeof how === 'string' ? how : 'cancelled';
            expect(['cancelled', settled]).toContain(state);
          },
          { ordered },
        );
      }
    }

    for (const ordered of [false, true]) {
      const name = ordered ? 'to any order' : 'to one order';
      rounds(
        `delivery_order changes ${name} while events are accepted, read and settled`,
        async (race) => {
          const [first] = await inFlight(race, ['a', 'b']);
          await race.accept(['a', 'b'], 0);
          await together(
            race.change(1),
            race.accept(['a', 'b', 'a'], 0),
            race.begin(),
            race.settle(new Map([[first, 'delivered']])),
          );
          await race.begin();
          await race.expectSound();
          await race.change(0);
        },
        { ordered },
      );
    }
  });
}
