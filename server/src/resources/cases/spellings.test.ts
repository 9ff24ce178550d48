import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeOnEachDatabase } from '../../../testing/queue-database.ts';
import { spellingsInUse } from './spellings.ts';

const FEW_CHARS = fc.constantFrom('a', 'A', 'b', 'B', 'ä', 'Ä', '1', '𐐀', '𐐨', '/');
const id = fc.string({ unit: FEW_CHARS, minLength: 1, maxLength: 4 });

describeOnEachDatabase('spellings of an order id', (fresh) => {
  test('are exactly the ids in use that differ in the case of letters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(id, { maxLength: 40 }), id, async (ids, typed) => {
        const queue = await fresh();
        for (const partner_order_id of ids) await queue.delivery({ partner_order_id });
        const found: string[] = [];
        for await (const one of spellingsInUse(queue.db, typed)) found.push(one);
        const lower = typed.toLowerCase();
        const wanted = ids.filter((one) => one.toLowerCase() === lower);
        expect(found.toSorted()).toEqual(wanted.toSorted());
      }),
      { numRuns: 30 },
    );
  });
});
