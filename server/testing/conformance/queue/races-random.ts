/** Random operations at once, over and over. See queue-races.ts. */
import fc from 'fast-check';
import { test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import type { Due } from '../../../src/delivery/stages.ts';
import type { Outcome } from '../../queue-owner.ts';
import { type Race, RETRY, together, twoNodes } from '../../queue-races.ts';

const ORDERS = ['a', 'b'];

export function randomRacesConformance(numRuns: number): void {
  describeWithPostgres('random operations at once', (_empty, databaseWithTables) => {
    const races = twoNodes(databaseWithTables);

    const which = fc.nat({ max: 20 });
    const outcome = fc.constantFrom<Outcome>('delivered', 'exhausted', RETRY);
    const act = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          accept: fc.array(fc.nat(1), { minLength: 1, maxLength: 3 }),
          node: which,
        }),
      },
      { weight: 3, arbitrary: fc.record({ begin: fc.integer({ min: 1, max: 5 }) }) },
      {
        weight: 5,
        arbitrary: fc.record({
          settle: fc.array(fc.tuple(which, outcome), { minLength: 1, maxLength: 3 }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ cancel: which, node: which }) },
      { weight: 2, arbitrary: fc.record({ retry: which, node: which }) },
      { weight: 1, arbitrary: fc.record({ recover: which }) },
      { weight: 1, arbitrary: fc.record({ sendPending: which }) },
      {
        weight: 1,
        arbitrary: fc.record({
          changeAll: fc.constantFrom('retry' as const, 'cancel' as const),
          node: which,
        }),
      },
      { weight: 1, arbitrary: fc.record({ change: which }) },
      { weight: 1, arbitrary: fc.record({ takeOver: fc.constant(true) }) },
    );
    type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

    /** Starts the operations that are possible now. Of exclusive ones, only the first. */
    function start(race: Race, acts: readonly Act[]): Promise<unknown>[] {
      const { owner } = race;
      const settling = new Set<Due>();
      const once = new Set<string>();
      const recent = race.ids.slice(-6);
      return acts.flatMap((act): Promise<unknown>[] => {
        const [kind] = Object.keys(act) as [string];
        if ('accept' in act)
          return [
            race.accept(
              act.accept.map((n) => ORDERS[n] as string),
              act.node,
            ),
          ];
        if ('settle' in act) {
          const outcomes = new Map<Due, Outcome>();
          for (const [n, how] of act.settle) {
            const due = race.inFlight(n);
            if (due && !settling.has(due)) outcomes.set(due, how);
            if (due) settling.add(due);
          }
          return outcomes.size > 0 ? [race.settle(outcomes, owner)] : [];
        }
        if ('cancel' in act) return [race.cancel(recent[act.cancel % 6], act.node)];
        if ('retry' in act) return [race.retry(recent[act.retry % 6], act.node)];
        if ('sendPending' in act) return [race.sendPending(act.sendPending)];
        if ('changeAll' in act) return [race.changeAll(act.changeAll, act.node)];
        if (once.has(kind)) return [];
        once.add(kind);
        if ('begin' in act) return [race.begin(act.begin)];
        if ('recover' in act) return [race.recover(act.recover)];
        if ('change' in act) return [race.change(act.change)];
        return [race.takeOver()];
      });
    }

    test.each([
      ['in any order', false],
      ['in one order', true],
    ])('any few operations at once, over and over, %s', async (_, ordered) => {
      const group = fc.array(act, { minLength: 1, maxLength: 4, size: 'max' });
      await fc.assert(
        fc.asyncProperty(fc.array(group, { minLength: 5, maxLength: 20, size: 'max' }), (groups) =>
          races.race(ordered, async (race) => {
            for (const acts of groups) {
              await together(...start(race, acts));
              await race.expectSound();
              races.rigs[0].clock.advance(10_000);
            }
          }),
        ),
        // A failure may not happen again, so shrinking is pointless.
        { numRuns, endOnFailure: true },
      );
    });
  });
}
