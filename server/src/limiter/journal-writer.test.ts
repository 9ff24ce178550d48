import { expect, test } from 'vitest';
import { MemoryJournal } from '../../testing/limits-journal.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { JournalWriter } from './journal-writer.ts';
import { JournaledTally } from './journaled-tally.ts';

test('while the journal fails, a tally of tens of thousands is not put into words each time', async () => {
  const clock = new ManualClock();
  const journal = new MemoryJournal();
  let identified = 0;
  const writer = new JournalWriter<JournaledTally>({
    ...{ journal, clock, lastRestatedMs: 0 },
    identify: (_, instantMs) => ({ id: String(++identified + instantMs) }),
  });
  const tally = new JournaledTally('7', 'overview/');
  for (let n = 0; n < 30_000; n++) {
    const nowMs = clock.monotonic();
    tally.use(nowMs, { requests: 50_000, seconds: 3_600 });
    tally.ring.admitInForce(nowMs);
    tally.addUnsaved(nowMs);
  }
  journal.failure = new Error('The disk is full.');
  await expect(writer.save(tally)).rejects.toThrow('The disk is full.');
  expect(identified).toBe(5_000);
  journal.failure = undefined;
  await writer.save(tally);
  expect(journal.admissions).toHaveLength(30_000);
  expect(journal.appends.map((one) => one.length)).toEqual(Array(6).fill(5_000));
});
