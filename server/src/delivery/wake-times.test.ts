import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lane } from './lane.ts';
import { WakeTimes } from './wake-times.ts';

const lane = (name: number) => new Lane(`mid_${name}`, 0, { rows: 0, reads: 0 }, 0);

test('returns due lanes, the soonest first, each as often as it was added', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.array(fc.nat(60)), (times, looks) => {
      const wakeTimes = new WakeTimes();
      const waiting = times.map((atMs, n) => ({ atMs, lane: lane(n) }));
      for (const one of waiting) wakeTimes.add(one.lane, one.atMs);
      const taken: Lane[] = [];
      for (const nowMs of looks.sort((a, b) => a - b)) {
        for (const one of wakeTimes.takeDue(nowMs)) taken.push(one.lane);
        const due = waiting.filter(({ atMs }) => atMs <= nowMs);
        expect(new Set(taken)).toEqual(new Set(due.map((one) => one.lane)));
        expect(taken).toHaveLength(due.length);
        const rest = waiting.filter(({ atMs }) => atMs > nowMs).map(({ atMs }) => atMs);
        expect(wakeTimes.soonestMs).toBe(Math.min(...rest, Number.POSITIVE_INFINITY));
      }
    }),
  );
});
