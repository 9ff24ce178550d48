import { describe, expect, test } from 'vitest';
import { Lane, READ_AHEAD } from './lane.ts';
import { NEVER_ATTEMPTED, shardOf } from './queue.ts';
import type { Due, LaneConfig } from './stages.ts';

const NOW = 1_000_000;
/** Longer ago than any pace looks back. */
const OWNED_SINCE = NOW - 2_000;
const MIDOFFICE = 'mid_1';
const SHARD = shardOf(MIDOFFICE);

function newLane(config: Partial<LaneConfig> = {}) {
  const memory = { rows: 0, reads: 0 };
  const lane = new Lane(MIDOFFICE, SHARD, memory, OWNED_SINCE);
  lane.config = {
    max_in_flight: 2,
    max_per_second: null,
    paused: false,
    ordered: false,
    ...config,
  } as LaneConfig;
  return { lane, memory };
}

function due(seq: number, order_key: string | null = null): Due {
  return {
    seq,
    midoffice_id: MIDOFFICE,
    shard: SHARD,
    epoch: 1,
    event_id: `event ${seq}`,
    type: 'created',
    partner_id: 'par',
    partner_order_id: `order ${seq}`,
    agreement_number: null,
    status: null,
    order_key,
    ...NEVER_ATTEMPTED,
    trace_context: null,
  };
}

/** A read from beginning to end. */
function read(lane: Lane, rows: readonly Due[], nextDueAtMs: number | null = null): void {
  lane.wake(NOW);
  lane.beginRead(1, 10);
  lane.endRead({ midofficeId: MIDOFFICE, due: [...rows], nextDueAtMs });
}

function takeAll(lane: Lane): number[] {
  const taken: number[] = [];
  for (let one = lane.take(NOW); one; one = lane.take(NOW)) taken.push(one.seq);
  return taken;
}

test('after the first of many changes it reads at once, and after the others when it has rested', () => {
  const { lane, memory } = newLane({ max_in_flight: 0 });
  read(lane, [due(1), due(2)]);
  expect(lane.changed()).toBe(true);
  expect([lane.isReadable(NOW), lane.hasQueued]).toEqual([true, false]);
  read(lane, [due(1), due(2)]);

  for (const _ of [1, 2, 3]) expect(lane.changed()).toBe(false);
  expect([lane.isReadable(NOW), lane.hasQueued]).toEqual([false, false]);
  // What is accepted meanwhile does not overtake what was forgotten.
  lane.handOver(due(3), { mark: memory.reads, nowMs: NOW });
  expect([lane.isReadable(NOW), lane.hasQueued, lane.isIdle(NOW)]).toEqual([false, false, false]);

  expect(lane.rested()).toBe(true);
  expect(lane.isReadable(NOW)).toBe(true);
  read(lane, [due(2), due(3)]);
  // Nothing has changed since, so the next change is a first one again.
  expect(lane.rested()).toBe(false);
  expect(lane.changed()).toBe(true);
  expect(lane.isReadable(NOW)).toBe(true);
});

describe('a row that is handed over', () => {
  test('begins at once', () => {
    const { lane, memory } = newLane();
    lane.handOver(due(1), { mark: memory.reads, nowMs: NOW });
    expect(takeAll(lane)).toEqual([1]);
    expect(lane.isReadable(NOW)).toBe(false);
  });

  test('is left to the table if a read may already have returned it', () => {
    const { lane, memory } = newLane();
    const mark = memory.reads;
    // Stored, found by a read, attempted and settled before the accepting side got to hand it over.
    const row = due(1);
    read(lane, [row]);
    expect(lane.take(NOW)).toBe(row);
    lane.freeSlot();
    lane.end(row);
    lane.handOver(due(1), { mark, nowMs: NOW });
    expect(takeAll(lane)).toEqual([]);
    expect(lane.isReadable(NOW)).toBe(true);
  });

  test('is left to the table by a new lane, because an earlier lane may have read it', () => {
    const { memory } = newLane();
    const mark = memory.reads;
    const lane = new Lane(MIDOFFICE, SHARD, memory, OWNED_SINCE);
    lane.handOver(due(1), { mark, nowMs: NOW });
    expect(lane.hasQueued).toBe(false);
    expect(lane.readAtMs).toBe(NOW);
  });

  test('is left to the table during a read', () => {
    const { lane, memory } = newLane();
    lane.wake(NOW);
    lane.beginRead(1, 10);
    lane.handOver(due(1), { mark: memory.reads, nowMs: NOW });
    lane.endRead({ midofficeId: MIDOFFICE, due: [due(1)], nextDueAtMs: null });
    expect(takeAll(lane)).toEqual([1]);
  });

  test.each([
    ['it must wait for its order', due(1, 'order'), {}],
    ['the midoffice has come to deliver per order', due(1), { ordered: true }],
  ])('is left to the table if %s', (_, row, config) => {
    const { lane, memory } = newLane(config);
    lane.handOver(row, { mark: memory.reads, nowMs: NOW });
    expect(lane.hasQueued).toBe(false);
    expect(lane.isReadable(NOW)).toBe(true);
  });

  test('is left to the table if other rows wait there or memory is full', () => {
    const { lane, memory } = newLane({ max_in_flight: 1 });
    lane.wake(NOW - 1);
    lane.handOver(due(1), { mark: memory.reads, nowMs: NOW });
    expect(lane.hasQueued).toBe(false);
    read(lane, []);
    for (let seq = 1; seq <= 1_000; seq++) {
      lane.handOver(due(seq), { mark: memory.reads, nowMs: NOW });
    }
    expect(memory.rows).toBe(READ_AHEAD);
  });
});

describe('a read', () => {
  test('does not bring back rows settled during the read', () => {
    const { lane } = newLane();
    read(lane, [due(1)]);
    const row = lane.take(NOW) as Due;
    lane.wake(NOW);
    const request = lane.beginRead(1, 10);
    expect(request.known).toEqual(new Set([1]));
    lane.freeSlot();
    lane.end(row);
    lane.endRead({ midofficeId: MIDOFFICE, due: [due(1)], nextDueAtMs: null });
    expect(takeAll(lane)).toEqual([]);
    // It may have been queued again meanwhile.
    expect(lane.isReadable(NOW)).toBe(true);
  });

  test('is repeated if support has made it out of date', () => {
    const { lane } = newLane();
    lane.wake(NOW);
    lane.beginRead(1, 10);
    lane.forget();
    lane.endRead({ midofficeId: MIDOFFICE, due: [due(1)], nextDueAtMs: null });
    expect(lane.hasQueued).toBe(false);
    expect(lane.isReadable(NOW)).toBe(true);
  });

  test('is repeated when the next row is due, and not before', () => {
    const { lane } = newLane();
    read(lane, [], NOW + 5);
    expect([lane.isReadable(NOW + 4), lane.isReadable(NOW + 5)]).toEqual([false, true]);
    expect(lane.readAtMs).toBe(NOW + 5);
  });

  test('is not made for a paused lane', () => {
    const { lane } = newLane({ paused: true });
    lane.wake(NOW);
    expect([lane.isReadable(NOW), lane.readAtMs]).toEqual([false, Number.POSITIVE_INFINITY]);
  });
});

describe('attempts', () => {
  test('fill all slots, and a slot is free before the attempt is recorded', () => {
    const { lane } = newLane({ max_in_flight: 2 });
    const rows = [1, 2, 3].map((seq) => due(seq));
    read(lane, rows);
    expect(takeAll(lane)).toEqual([1, 2]);
    lane.freeSlot();
    expect(takeAll(lane)).toEqual([3]);
    expect(lane.beginRead(1, 10).known).toEqual(new Set([1, 2, 3]));
  });

  test('of one order begin only after the previous one is recorded', () => {
    const { lane } = newLane({ max_in_flight: 5 });
    const first = due(1, 'a');
    read(lane, [first, due(2, 'a'), due(3, 'b')]);
    expect(takeAll(lane)).toEqual([1, 3]);
    lane.freeSlot();
    expect(takeAll(lane)).toEqual([]);
    lane.end(first);
    expect(takeAll(lane)).toEqual([2]);
  });

  test('that began without an order cause a read if the midoffice now delivers per order', () => {
    const { lane } = newLane();
    const row = due(1);
    read(lane, [row]);
    lane.take(NOW);
    lane.config = { ...(lane.config as LaneConfig), ordered: true };
    lane.freeSlot();
    lane.end(row);
    expect(lane.isReadable(NOW)).toBe(true);
  });

  test('stop, and nothing is read, once the lane has lost its shard', () => {
    const { lane } = newLane();
    read(lane, [due(1)], NOW + 5);
    lane.drop();
    lane.wake(NOW);
    expect([takeAll(lane), lane.isReadable(NOW), lane.readAtMs]).toEqual([
      [],
      false,
      Number.POSITIVE_INFINITY,
    ]);
  });

  test('of a dropped lane free no slot in its successor', () => {
    const { lane } = newLane({ max_in_flight: 1 });
    read(lane, [due(1)]);
    takeAll(lane);
    expect(lane.end(due(1))).toBe(false);
    expect(lane.has(due(1))).toBe(false);
  });

  test('keep a lane from being idle', () => {
    const { lane, memory } = newLane();
    expect(lane.isIdle(NOW)).toBe(true);
    const row = due(1);
    lane.handOver(row, { mark: memory.reads, nowMs: NOW });
    expect([lane.isIdle(NOW), memory.rows]).toEqual([false, 1]);
    lane.take(NOW);
    expect([lane.isIdle(NOW), memory.rows]).toEqual([false, 0]);
    lane.sent(NOW);
    lane.freeSlot();
    lane.end(row);
    // A lane that comes after it would not know what was just sent.
    expect([lane.isIdle(NOW + 1_049), lane.isIdle(NOW + 1_050)]).toEqual([false, true]);
  });
});

describe('a lane with a pace', () => {
  const paced = (maxPerSecond: number) =>
    newLane({ max_in_flight: 9, max_per_second: maxPerSecond });

  test('holds rows back until its pace opens, and says when that is', () => {
    const { lane } = paced(2);
    read(lane, [due(1), due(2), due(3)]);
    expect(lane.opensAtMs(NOW)).toBeUndefined();
    expect(takeAll(lane)).toEqual([1]);
    lane.sent(NOW);
    const [halfMs, wholeMs] = [NOW + 515, NOW + 1_050];
    expect(lane.opensAtMs(NOW)).toBe(halfMs);
    expect(lane.take(halfMs)?.seq).toBe(2);
    expect(lane.opensAtMs(halfMs)).toBe(wholeMs);
    expect(lane.take(wholeMs - 1)).toBeUndefined();
    lane.sent(wholeMs);
    expect(lane.take(wholeMs)?.seq).toBe(3);
    expect(lane.opensAtMs(wholeMs)).toBeUndefined();
  });

  test('begins nothing in the first second of its owner', () => {
    const lane = new Lane(MIDOFFICE, SHARD, { rows: 0, reads: 0 }, NOW);
    lane.config = paced(1).lane.config;
    read(lane, [due(1), due(2)]);
    expect([lane.take(NOW + 1_049), lane.opensAtMs(NOW)]).toEqual([undefined, NOW + 1_050]);
    expect(lane.take(NOW + 1_050)?.seq).toBe(1);
    lane.sent(NOW + 1_050);
    lane.gained(NOW + 5_000);
    read(lane, [due(2)]);
    expect(lane.opensAtMs(NOW + 5_000)).toBe(NOW + 6_050);
  });

  test('is not woken for its pace while it is paused, has no slot or has no rows', () => {
    const { lane } = paced(1);
    read(lane, [due(1), due(2)]);
    lane.take(NOW);
    lane.sent(NOW);
    const { config } = lane;
    for (const other of [{ paused: true }, { max_in_flight: 1 }]) {
      lane.config = { ...config, ...other } as LaneConfig;
      expect(lane.opensAtMs(NOW)).toBeUndefined();
    }
    lane.config = config;
    expect(lane.take(NOW + 1_050)?.seq).toBe(2);
    expect(lane.opensAtMs(NOW + 1_050)).toBeUndefined();
  });

  test.each([
    [1, 8],
    [10, 80],
    [64, READ_AHEAD],
    [10_000, READ_AHEAD],
  ])('of %i reads %i rows ahead, and again when an eighth is left', (maxPerSecond, ahead) => {
    const { lane } = paced(maxPerSecond);
    lane.wake(NOW);
    expect(lane.beginRead(1, READ_AHEAD).limit).toBe(ahead);
    const rows = Array.from({ length: ahead / 8 }, (_, n) => due(n));
    lane.endRead({ midofficeId: MIDOFFICE, due: rows, nextDueAtMs: NOW });
    expect(lane.isReadable(NOW)).toBe(false);
    lane.take(NOW);
    expect(lane.isReadable(NOW)).toBe(true);
  });
});
