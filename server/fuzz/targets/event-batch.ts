/** A batch of order events that is split while it arrives. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EventSplitter, LONGEST_EVENT_BYTES, SplitError } from '../../src/office/event-splitter.ts';
import { parser } from '../target.ts';

/** Long enough for the beginning of a batch, which must come in one piece. */
const FIRST_BYTES = 64;

export const eventBatch = parser('event-batch', {
  words: ['{"events":[', ']}', '{}', '},{', '\\"', '\\\\', '"', ',', ' \n', '[[]]', '\\u0065'],
  shapes: fc
    .array(fc.dictionary(fc.string({ unit: 'binary', maxLength: 8 }), fc.jsonValue()), {
      maxLength: 5,
    })
    .map((events) => JSON.stringify({ events })),
  check(input) {
    const whole = split(input, input.length);
    for (const pieceBytes of [1, 7, 64]) assert.deepEqual(split(input, pieceBytes), whole);
    const parsed = parse(input);
    const events = whole?.map((event) => parse(event));
    if (events?.every((event) => event !== undefined)) {
      // Whatever it finds events in is a batch, and has just these.
      assert.deepEqual(parsed, { events });
    } else if (isBatch(parsed) && isPlain(input)) {
      assert.fail('a batch was not split');
    }
  },
});

/** Undefined if it is refused. */
function split(input: Buffer, pieceBytes: number): Buffer[] | undefined {
  const splitter = new EventSplitter(Number.POSITIVE_INFINITY);
  const events: Buffer[] = [];
  try {
    events.push(...splitter.begin(input.subarray(0, FIRST_BYTES)));
    for (let at = FIRST_BYTES; at < input.length; at += pieceBytes) {
      events.push(...splitter.push(input.subarray(at, at + pieceBytes)));
    }
    splitter.end();
    return events;
  } catch (error) {
    assert(error instanceof SplitError, String(error));
    return undefined;
  }
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}

function isBatch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { events, ...others } = value as { events?: unknown };
  return (
    Array.isArray(events) &&
    events.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one)) &&
    Object.keys(others).length === 0
  );
}

/** Short, and with a single list of that name that begins within the first bytes. */
function isPlain(input: Buffer): boolean {
  const begins = /^[\s\ufeff]*\{\s*"events"\s*:\s*\[/.exec(String(input))?.[0].length;
  return (
    input.length < LONGEST_EVENT_BYTES &&
    begins !== undefined &&
    begins <= FIRST_BYTES &&
    String(input).lastIndexOf('"events"') < begins
  );
}
