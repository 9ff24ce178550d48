import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventSplitter, LONGEST_EVENT_BYTES, SplitError } from './event-splitter.ts';

/** The events as text, if the body arrives in pieces of this size; why it is refused otherwise. */
function split(body: string, pieceBytes: number): string[] | string {
  const bytes = Buffer.from(body);
  const splitter = new EventSplitter(Number.POSITIVE_INFINITY);
  const events: string[] = [];
  // The first piece has the whole beginning, as the splitter demands.
  const first = Math.max(pieceBytes, 40);
  try {
    for (const event of splitter.begin(bytes.subarray(0, first))) events.push(String(event));
    for (let at = first; at < bytes.length; at += pieceBytes) {
      for (const event of splitter.push(bytes.subarray(at, at + pieceBytes))) {
        events.push(String(event));
      }
    }
    splitter.end();
    return events;
  } catch (error) {
    if (error instanceof SplitError) return error.reason;
    throw error;
  }
}

test('a batch is split into its events, in whatever pieces it arrives and however it is written', () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), { maxLength: 6 }),
      fc.tuple(space, space, space, space),
      fc.constantFrom('"events"', '"\\u0065vents"', '"event\\u0073"'),
      fc.integer({ min: 1, max: 50 }),
      (events, [a, b, c, d], name, pieceBytes) => {
        const list = events.map((event) => `${a}${JSON.stringify(event, null, b)}${c}`).join(',');
        const body = `${a}{${b}${name}${c}:${d}[${list}${a}]${b}}${c}`;
        const found = split(body, pieceBytes) as string[];
        expect(found.map((json) => JSON.parse(json))).toEqual(
          events.map((event) => JSON.parse(JSON.stringify(event))),
        );
      },
    ),
  );
});

describe('is refused', () => {
  test.each([
    ['a list of something else', '{"events":[0,0]}', 'not_an_object'],
    ['a list of lists', '{"events":[[{}]]}', 'not_an_object'],
    ['a comma at the end', '{"events":[{},]}', 'not_an_object'],
    ['a comma at the beginning', '{"events":[,{}]}', 'not_an_object'],
    ['no comma', '{"events":[{}{}]}', 'unfinished'],
    ['another name', '{"event":[{}]}', 'not_a_batch'],
    ['a name that is not JSON', '{"\\event":[{}]}', 'not_a_batch'],
    ['a list alone', '[{}]', 'not_a_batch'],
    ['something that is no list', '{"events":{}}', 'not_a_batch'],
    ['another field before the list', '{"a":1,"events":[{}]}', 'not_a_batch'],
    ['another field after the list', '{"events":[{}],"a":1}', 'not_a_batch'],
    ['something after the end', '{"events":[{}]} x', 'unfinished'],
    ['a second body', '{"events":[{}]}{"events":[{}]}', 'unfinished'],
    ['a missing end', '{"events":[{}]', 'unfinished'],
    ['a string without an end', '{"events":[{"a":"}]}', 'unfinished'],
  ])('%s', (_name, body, reason) => {
    for (const pieceBytes of [1, 7, 1_000]) expect(split(body, pieceBytes)).toBe(reason);
  });

  test('an event with too many values, however it arrives', () => {
    const splitter = new EventSplitter(4);
    expect([...splitter.begin(Buffer.from('{"events":[{"a":1,"b":[","]},{"a":[{'))]).toHaveLength(
      1,
    );
    expect(() => [...splitter.push(Buffer.from('"b":1,'))]).toThrow('too_many_values');
  });

  test('an event that is longer than any can be, before it has arrived', () => {
    const splitter = new EventSplitter(Number.POSITIVE_INFINITY);
    expect([...splitter.begin(Buffer.from('{"events":[{"a":"'))]).toEqual([]);
    const piece = Buffer.alloc(LONGEST_EVENT_BYTES / 2, 'x');
    expect([...splitter.push(piece)]).toEqual([]);
    expect(() => [...splitter.push(piece)]).toThrow('event_too_long');
  });
});
