import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../ring.ts';
import { LoneWindow, reservedFor, type Share, slotsOf } from './lone-window.ts';

test('what is left goes to the nodes without a rest, and to nobody twice', () => {
  const counts = fc.record({
    left: fc.integer({ min: -5, max: 50 }),
    nodes: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(counts, ({ left, nodes }) => {
      const shares = Array.from({ length: nodes }, (_, place) => slotsOf(left, { nodes, place }));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.max(left, 0));
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }),
  );
});

/** Calls of some nodes, in turn: how long after the call before, since no two have the same instant, and of which node. */
const calls = fc.array(fc.record({ waitMs: fc.integer({ min: 1, max: 40 }), node: fc.nat(8) }), {
  maxLength: 300,
  size: 'max',
});
const SPAN_MS = 1_000;

test('nodes that all or in part have lost Redis admit no more than the window has, and in the end all of it', () => {
  const windows = fc.record({
    requests: fc.integer({ min: 1, max: 30 }),
    nodes: fc.integer({ min: 1, max: 4 }),
    lost: fc.integer({ min: 1, max: 4 }),
    before: calls,
    after: calls,
  });
  fc.assert(
    fc.property(windows, ({ requests, nodes: count, lost, before, after }) => {
      const shared = newRing(requests);
      const rings = Array.from({ length: count }, () => newRing(requests));
      const admittedMs: number[] = [];
      let nowMs = 0;
      for (const { waitMs, node } of before) {
        nowMs += waitMs;
        if (!shared.admit(nowMs, requests, SPAN_MS)) continue;
        rings[node % count]?.insert(nowMs);
        admittedMs.push(nowMs);
      }
      const heard = { counted: shared.count(nowMs, SPAN_MS), atMs: nowMs };
      const lone = rings.slice(0, lost).map((ring, place) => {
        const share: Share = { nodes: count, place };
        return new LoneWindow(ring, heard, { lostMs: nowMs, share, beforeMs: undefined });
      });
      const alone = lone.map((_, rank) => ({ name: `${rank}`, nodes: count, rank }));
      const open = requests - reservedFor(alone, '', requests);
      const admit = (node: number) => {
        if (node >= lost) {
          if (shared.count(nowMs, SPAN_MS) >= open) return;
          shared.insert(nowMs);
          admittedMs.push(nowMs);
          expect(inside(admittedMs, nowMs)).toBeLessThanOrEqual(requests);
          return;
        }
        const [ring, window] = [rings[node], lone[node]] as [Ring, LoneWindow];
        const standing = window.standing(ring, nowMs);
        expect(window.fits(ring, nowMs)).toBe(standing.admitted);
        if (!standing.admitted) {
          expect(standing.resetInMs).toBeGreaterThan(0);
          return;
        }
        ring.insert(nowMs);
        admittedMs.push(nowMs);
        expect(inside(admittedMs, nowMs)).toBeLessThanOrEqual(requests);
      };
      for (const { waitMs, node } of after) {
        nowMs += waitMs;
        admit(node % count);
      }
      // Once nobody has called for a window, all of it is there again.
      nowMs += SPAN_MS;
      for (let call = 0; call < requests * count; call++) admit(call % count);
      expect(inside(admittedMs, nowMs)).toBe(requests);
    }),
  );
});

test('a node that heard nothing for more than a second leaves room for what is not told', () => {
  const lost = { lostMs: 10_000, share: { nodes: 2, place: 0 }, beforeMs: undefined };
  const never = { counted: 0, atMs: Number.NEGATIVE_INFINITY };
  expect(remaining(newRing(100, 60_000), never, lost)).toBe(38);
  const longAgo = { counted: 50, atMs: 8_000 };
  expect(remaining(newRing(100, 60_000), longAgo, lost)).toBe(13);
  const justNow = { counted: 50, atMs: 9_500 };
  expect(remaining(newRing(100, 60_000), justNow, lost)).toBe(25);
  const alone = { ...lost, share: { nodes: 1, place: 0 } };
  expect(remaining(newRing(100, 60_000), never, alone)).toBe(100);
});

test('a limit that is changed meanwhile is divided anew, and what was admitted since still counts', () => {
  const ring = newRing(10, 60_000);
  const lost = { lostMs: 1_000, share: { nodes: 2, place: 0 }, beforeMs: undefined };
  const heard = { counted: 4, atMs: 1_000 };
  const first = new LoneWindow(ring, heard, lost);
  expect(first.standing(ring, 1_000).remaining).toBe(3);
  for (let n = 1; n <= 3; n++) ring.insert(1_000 + n);
  ring.use(2_000, 20, 60_000);
  const second = new LoneWindow(ring, heard, { ...lost, beforeMs: first.beforeMs });
  expect(second.standing(ring, 2_000).remaining).toBe(8 - 3);
});

function newRing(requests: number, spanMs = SPAN_MS): Ring {
  const ring = new Ring();
  ring.use(0, requests, spanMs);
  return ring;
}

function remaining(
  ring: Ring,
  ...args: [
    heard: ConstructorParameters<typeof LoneWindow>[1],
    lost: ConstructorParameters<typeof LoneWindow>[2],
  ]
): number {
  return new LoneWindow(ring, ...args).standing(ring, args[1].lostMs).remaining;
}

function inside(instantsMs: readonly number[], nowMs: number): number {
  return instantsMs.filter((atMs) => atMs + SPAN_MS > nowMs).length;
}
