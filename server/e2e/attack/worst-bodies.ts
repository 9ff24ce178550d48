/**
 * The most expensive JSON for each operation of the back office, of the greatest size that it takes, and what it costs
 * the process per byte. The control is one long string of the same size.
 */
import { cpuMicrosOf } from '../../../bench/cpu-time.ts';
import { LONGEST_LINE_BYTES } from '../../src/import/read-lines.ts';
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

/** Bodies of this many bytes, by what makes them expensive. An import is read by the line, so its lines are. */
export function worstBodies(operation: Operation, bytes: number): Map<string, string> {
  if (!isImport(operation)) return worstJson(operation.schema, bytes);
  const json = [...worstJson({}, LONGEST_LINE_BYTES - 100)];
  return new Map(json.map(([name, line]) => [name, linesOf(line, bytes)]));
}

export function controlFor(operation: Operation, bytes: number): string {
  if (!isImport(operation)) return longString(bytes);
  return linesOf(longString(LONGEST_LINE_BYTES - 100), bytes);
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

/** The processor time, in microseconds, that the process needs for one such request, refused as it is. */
export async function costOf(
  { child, addresses }: BellhopProcess,
  operation: Operation,
  body: string,
): Promise<number> {
  const request = Buffer.from(requestHead(operation, body.length) + body);
  // More of a small one, because there is other work as well.
  const requests = body.length > 1_048_576 ? 1 : 4;
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
