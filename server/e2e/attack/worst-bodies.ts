/**
 * The most expensive JSON for each operation of the back office, of the greatest size that it takes, and what it costs
 * the process per byte. The control is one long string of the same size.
 */
import { cpuMicrosOf } from '../../../bench/cpu-time.ts';
import { LONGEST_EVENT_BYTES } from '../../src/office/event-splitter.ts';
import { LONGEST_LINE_BYTES } from '../../src/resources/import/read-lines.ts';
import { ADMIN_TOKEN, type BellhopProcess, type TestBellhop } from '../../testing/bellhop.ts';
import { resolve, type Schema } from '../../testing/openapi-values.ts';
import { head, openWire } from '../wire.ts';

export interface Operation {
  id: string;
  method: string;
  path: string;
  /** Of its body. */
  type: string;
  schema: Schema;
}

/** Every operation that takes a body. */
export function operationsWithBody(document: Schema): Operation[] {
  return Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods).flatMap(([method, { operationId: id, requestBody }]) => {
      if (!requestBody) return [];
      const [[type, { schema }]] = Object.entries<Schema>(requestBody.content) as [
        [string, { schema: Schema }],
      ];
      const address = path.replace('{environment}', 'production').replaceAll(/\{\w+\}/g, 'x');
      return {
        id,
        method: method.toUpperCase(),
        path: address,
        type,
        schema: resolve(document, schema),
      };
    }),
  );
}

/** As the refusal of a body that is far too large says; of an import, a few lines will do. */
export async function limitOf({ addresses }: TestBellhop, operation: Operation): Promise<number> {
  if (isImport(operation)) return 4 * LONGEST_LINE_BYTES;
  const wire = await openWire(addresses.backOffice);
  wire.write(requestHead(operation, 1e12));
  const { json } = await wire.next();
  wire.socket.destroy();
  return Number(/at most ([\d,]+) bytes/.exec(json.detail)?.[1]?.replaceAll(',', ''));
}

export interface Attack {
  /** By what makes them expensive. */
  bodies: Map<string, string>;
  /** As long, but cheap. */
  control: string;
}

export function attacksOn(operation: Operation, bytes: number): Attack[] {
  if (isImport(operation)) return [lineAttack(bytes)];
  const bodies = worstJson(operation.schema, bytes);
  const attack = { bodies, control: longString(bytes) };
  if (operation.id !== 'reportOrderEvents') return [attack];
  bodies.set('an event with the same field again', batchOf(eventOf('"status":""', 1e6), bytes));
  return [attack, batchAttack(Math.min(bytes, BATCH_BYTES))];
}

/** An import is read by the line, so its lines are as expensive as they can be. */
function lineAttack(bytes: number): Attack {
  const lineBytes = LONGEST_LINE_BYTES - 100;
  const json = [...worstJson({}, lineBytes)];
  return {
    bodies: new Map(json.map(([name, line]) => [name, linesOf(line, bytes)])),
    control: linesOf(longString(lineBytes), bytes),
  };
}

/** Enough of them, because a batch is read event by event. */
const BATCH_BYTES = 8 * 1_048_576;

/** Batches of valid events, which are read to their end. The same goes for the control, with strings as long as allowed. */
function batchAttack(bytes: number): Attack {
  const batch = (field: string, times = 100) => batchOf(eventOf(field, times), bytes);
  return {
    bodies: new Map([
      ['blank events', batch('"status":""', 1)],
      ['events with the same field again', batch('"status":""')],
      ['escapes in events', batch(`"status":"${'\\u20ac'.repeat(1_024)}"`)],
      ['escaped quotes in events', batch(`"status":"${'\\"'.repeat(1_024)}"`)],
    ]),
    control: batch(`"status":"${'x'.repeat(1_024)}"`),
  };
}

/** Has this field as often as asked for and possible, and blanks up to the greatest length. */
function eventOf(field: string, times: number): string {
  const required = '{"event_id":"e","type":"created","partner_id":"p","partner_order_id":"o"';
  const most = Math.floor((LONGEST_EVENT_BYTES - required.length - 1) / (field.length + 1));
  const fields = `,${field}`.repeat(Math.min(times, most));
  return `${(required + fields).padEnd(LONGEST_EVENT_BYTES - 1)}}`;
}

/** Only the last event is invalid. */
function batchOf(event: string, bytes: number): string {
  return `{"events":[${`${event},`.repeat((bytes - 20) / (event.length + 1))}0]}`;
}

function linesOf(json: string, bytes: number): string {
  const line = json.replace('{', '{"kind":"key",');
  return Array(bytes / LONGEST_LINE_BYTES)
    .fill(line)
    .join('\n');
}

function isImport({ type }: Operation): boolean {
  return type !== 'application/json';
}

function worstJson(schema: Schema, bytes: number): Map<string, string> {
  const known = Object.entries<Schema>(schema.properties ?? schema.oneOf?.[1]?.properties ?? {});
  const list = known.find(([, { type, anyOf }]) => type === 'array' || anyOf?.[0].type === 'array');
  const text = known.find(([, { type }]) => [type].flat().includes('string'));
  return new Map([
    ['unknown fields', `{${filled((n) => `"x${n}":0`, bytes - 2)}}`],
    ['numbered fields', `{${filled((n) => `"${n}":0`, bytes - 2)}}`],
    ['the same field again', `{${filled(() => '"x":0', bytes - 2)}}`],
    ['wrong items', `{"${list?.[0] ?? 'x'}":[${filled(() => '0', bytes - 30)}]}`],
    ['empty objects', `{"${list?.[0] ?? 'x'}":[${filled(() => '{}', bytes - 30)}]}`],
    ['deep nesting', `{"x":${'['.repeat(bytes / 2 - 5)}${']'.repeat(bytes / 2 - 5)}}`],
    ['a long number', `{"x":${'7'.repeat(bytes - 10)}}`],
    ['escaped quotes', `{"${text?.[0] ?? 'x'}":"${'\\"'.repeat((bytes - 40) / 2)}"}`],
    ['escapes', `{"${text?.[0] ?? 'x'}":"${'\\ud83e\\uddf3'.repeat((bytes - 40) / 12)}"}`],
  ]);
}

function longString(bytes: number): string {
  return `{"x":"${'x'.repeat(bytes - 8)}"}`;
}

function filled(item: (n: number) => string, bytes: number): string {
  const items: string[] = [];
  for (let length = 0, n = 0; ; n++) {
    const one = item(n);
    length += one.length + 1;
    if (length > bytes) return items.join(',');
    items.push(one);
  }
}

const MEASURED_BYTES = 8 * 1_048_576;
const MOST_REQUESTS = 16;

/** The processor time, in microseconds, that the process needs for one such request, refused as it is. */
export async function costOf(
  { child, addresses }: BellhopProcess,
  operation: Operation,
  body: string,
): Promise<number> {
  const request = Buffer.from(requestHead(operation, body.length) + body);
  // More of a small one, because there is other work as well. Over enough bytes, each body also pays for the
  // collections of memory that it causes: over a few, one body pays for what another left behind.
  const requests = Math.min(Math.ceil(MEASURED_BYTES / body.length), MOST_REQUESTS);
  const before = await cpuMicrosOf(child.pid);
  for (let i = 0; i < requests; i++) {
    const wire = await openWire(addresses.backOffice);
    wire.write(request);
    const { status, headers } = await wire.next();
    if (status < 400) throw new Error(`${operation.id} accepted it`);
    // What is still to come is discarded, which takes time as well.
    if (headers.connection === 'close') await wire.ended();
    wire.socket.destroy();
  }
  return Math.round(((await cpuMicrosOf(child.pid)) - before) / requests);
}

function requestHead({ method, path, type }: Operation, bytes: number): string {
  return head(`${method} ${path}`, {
    authorization: `Bearer ${ADMIN_TOKEN}`,
    'content-type': type,
    'content-length': String(bytes),
  });
}
