/** What people bring from other systems: the lines of an import, and tables. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { csvRows } from '../../src/cli/csv-rows.ts';
import { CommandFailed } from '../../src/cli/failures.ts';
import { type ReadLine, readLines } from '../../src/resources/import/read-lines.ts';
import { parser, type Target } from '../target.ts';

const LINE_WORDS = [
  '\n',
  '{"kind":"partner","ref":"a","name":"A"}\n',
  '{"kind":"key","key_id":"1","partner_ref":"a"',
  ',"api_key":"0123456789abcdef"',
  '"kind":"grant","key_ref":"1"',
  '"endpoint":"api/b2b/v3/search/hp/"',
  '"requests_number":',
  '"endpoints":[]',
  '"__proto__":',
  'null',
  '\\u0000',
  '\\ud800',
  '\ufeff',
  '\r',
];

const id = fc.constantFrom('1', '2', '3', '0'.repeat(19), 'x');
const ref = fc.constantFrom('a', 'b', '1', 'constructor');
const record = fc.oneof(
  fc.record({ kind: fc.constant('partner'), ref, name: fc.string(), suspended: fc.boolean() }),
  fc.record(
    {
      kind: fc.constant('key'),
      key_id: id,
      ref: fc.oneof(id, ref),
      partner_ref: ref,
      api_key: fc.constantFrom('0123456789abcdef', 'short'),
      label: fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null)),
      endpoints: fc.array(fc.constantFrom('api/b2b/v3/search/hp/', 'nothing/')),
    },
    { requiredKeys: ['kind', 'key_id'] },
  ),
  fc.record({
    kind: fc.constant('grant'),
    key_ref: fc.oneof(id, ref),
    endpoint: fc.constantFrom('/api/b2b/v3/search/hp', 'api/b2b/v3/overview/'),
    requests_number: fc.oneof(fc.nat(), fc.double()),
  }),
);

/** However the file is cut into parts, the lines are the same. */
export const importLines = parser('import-lines', {
  words: LINE_WORDS,
  async check(input) {
    const whole = await linesOf([input]);
    const middle = input.length >> 1;
    const halves = await linesOf([input.subarray(0, middle), input.subarray(middle)]);
    const bytes = await linesOf(Array.from(input, (byte) => Buffer.of(byte)));
    assert.deepEqual(halves, whole);
    assert.deepEqual(bytes, whole);
    for (const [index, { number, text }] of whole.entries()) {
      assert.ok(number > (whole[index - 1]?.number ?? 0), 'lines are out of order');
      assert.ok(text === undefined || (text !== '' && !text.includes('\n')));
    }
  },
});

async function linesOf(parts: readonly Buffer[]): Promise<ReadLine[]> {
  const found: ReadLine[] = [];
  for await (const some of readLines(from(parts)).lines) found.push(...some);
  return found;
}

async function* from<T>(parts: readonly T[]): AsyncGenerator<T> {
  yield* parts;
}

/** However the file is cut into parts, the rows are the same. */
export const csvTable = parser('csv-rows', {
  words: ['"', '""', ',', ';', '\r\n', '\n', '\ufeff', ' '],
  async check(input) {
    const text = input.toString();
    const whole = await rowsOf([text]);
    assert.deepEqual(await rowsOf([...text]), whole);
    if (typeof whole === 'string') assert.match(whole, /^Line \d+ of the CSV file: .+\.$/);
  },
});

/** The message if the table is refused. */
async function rowsOf(parts: readonly string[]): Promise<string[][] | string> {
  const rows: string[][] = [];
  try {
    for await (const { cells } of csvRows(from(parts))) rows.push(cells);
  } catch (error) {
    assert.ok(error instanceof CommandFailed, `threw ${error}`);
    return error.message;
  }
  return rows;
}

interface Reply {
  status: number;
  body: {
    code?: string;
    errors?: { line: number }[];
    keys: { created: number; changed: number };
    partners: { created: number; changed: number };
  };
}

/** A file is refused with its lines, or it can be imported; and what was imported stays the same the second time. */
export const importedFile: Target = {
  name: 'imported-file',
  words: LINE_WORDS,
  shapes: fc
    .array(record, { maxLength: 6 })
    .map((records) => records.map((one) => JSON.stringify(one)).join('\n')),
  async open(world) {
    const { backOffice, token } = await world.bellhop();
    async function post(input: Buffer, query: string): Promise<Reply> {
      const reply = await fetch(`${backOffice}/support/v1/sandbox/import${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        body: input as Uint8Array<ArrayBuffer>,
      });
      return { status: reply.status, body: (await reply.json()) as Reply['body'] };
    }
    return {
      async check(input) {
        const trial = await post(input, '?dry_run');
        if (trial.status !== 200) {
          assert.deepEqual([trial.status, trial.body.code], [422, 'import_refused']);
          const lines = input.toString('latin1').split('\n').length;
          for (const { line } of trial.body.errors ?? []) assert.ok(line >= 1 && line <= lines);
          assert.equal((await post(input, '')).status, 422);
          return;
        }
        const first = await post(input, '');
        assert.equal(first.status, 200);
        assert.deepEqual(first.body.keys, trial.body.keys, 'the dry run said something else');
        const { keys, partners } = (await post(input, '')).body;
        const again = [keys.created, keys.changed, partners.created, partners.changed];
        assert.deepEqual(again, [0, 0, 0, 0], 'the same file changed something the second time');
      },
    };
  },
};
