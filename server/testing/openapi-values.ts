/** Values that an OpenAPI document allows, and values that it forbids, for property tests. */
import fc from 'fast-check';

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema, as the document has it.
export type Schema = any;

/** Follows a reference into the document. */
export function resolve(document: Schema, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const steps = String(schema.$ref).slice(2).split('/');
  const found = steps.reduce((part, step) => part[step.replaceAll('~1', '/')], document);
  return resolve(document, found);
}

export function allowed(document: Schema, given: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(document, given);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    return fc.oneof(...alternatives.map((one: Schema) => allowed(document, one)));
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type].flat();
  return fc.oneof(...types.map((type) => ofType(document, type, schema)));
}

function ofType(document: Schema, type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum, max: schema.maximum });
    case 'string':
      return text(schema);
    case 'array':
      return fc.array(allowed(document, schema.items), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'object':
      return object(document, schema);
    default:
      throw new Error(`no values of ${JSON.stringify(schema)}`);
  }
}

function object(document: Schema, schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], minProperties = 0, dependentRequired = {} } = schema;
  const fields = Object.fromEntries(
    Object.entries<Schema>(properties).map(([name, part]) => [name, allowed(document, part)]),
  );
  return fc
    .record(fields, { requiredKeys: required })
    .filter((value) => Object.keys(value).length >= minProperties)
    .filter((value) =>
      Object.entries<string[]>(dependentRequired).every(
        ([name, others]) => !(name in value) || others.every((other) => other in value),
      ),
    );
}

function text(schema: Schema): fc.Arbitrary<string> {
  const { pattern = '', format, minLength = 0, maxLength = LONG } = schema;
  const fits = new RegExp(pattern, 'u');
  const isAllowed = (value: string) =>
    fits.test(value) && [...value].length >= minLength && [...value].length <= maxLength;
  return valuesOf(format, pattern, { minLength, maxLength }).filter(isAllowed);
}

/** Longer texts are no more telling. */
const LONG = 40;
/** Patterns that only exclude characters. */
const EXCLUDING = /^\^\[\^[^\]]*\]\*\$$/;

function valuesOf(
  format: string | undefined,
  pattern: string,
  { minLength, maxLength }: { minLength: number; maxLength: number },
): fc.Arbitrary<string> {
  if (format === 'date') return date();
  if (format === 'date-time') return dateTime();
  if (format === 'uri') return fc.constantFrom(...URLS);
  if (pattern !== '' && !EXCLUDING.test(pattern)) return fc.stringMatching(new RegExp(pattern));
  // Code points, because lengths count those.
  return fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, LONG) });
}

/** No names that would be looked up. */
const URLS = [
  'https://198.51.100.7/webhook',
  'http://127.0.0.1:9/',
  'https://user@198.51.100.7/',
  'https://198.51.100.7/#part',
  'https://[2001:db8::1]:8443/a?b=c@d',
  'mailto:someone@example.com',
  'urn:example:receiver',
];

function date(): fc.Arbitrary<string> {
  return day({ min: Date.UTC(2025, 9, 1), max: Date.UTC(2026, 10, 4) });
}

/** All that RFC 3339 allows, around the present: the past and the far future mean something else to some fields. */
function dateTime(): fc.Arbitrary<string> {
  const time = fc.constantFrom('00:00:00', '12:34:56', '23:59:59', '23:59:60');
  const fraction = fc.constantFrom('', '.0', '.123', '.123456789');
  const zone = fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+05:45', '-23:59', '+23:59');
  return fc
    .tuple(date(), fc.constantFrom('T', 't'), time, fraction, zone)
    .map((parts) => parts.join(''));
}

function day({ min, max }: { min: number; max: number }): fc.Arbitrary<string> {
  return fc.integer({ min, max }).map((ms) => new Date(ms).toISOString().slice(0, 10));
}

/** Objects that differ from an allowed one in a single way that the schema forbids. */
export function forbidden(document: Schema, given: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(document, given);
  const { properties, required = [], oneOf } = schema;
  if (oneOf) return fc.oneof(...oneOf.map((one: Schema) => forbidden(document, one)));
  const good = object(document, schema) as fc.Arbitrary<Record<string, unknown>>;
  const ways = [
    fc.constantFrom<unknown>([], 'text', 7, true),
    fc.tuple(good, fc.stringMatching(/^x_[a-z]{1,8}$/)).map(([value, name]) => ({
      ...value,
      [name]: 1,
    })),
    ...required.map((name: string) => good.map(({ [name]: _left, ...rest }) => rest)),
    ...Object.entries<Schema>(properties).flatMap(([name, part]) => {
      const bad = badValues(resolve(document, part));
      return bad.length === 0
        ? []
        : fc
            .tuple(good, fc.constantFrom(...bad))
            .map(([value, one]) => ({ ...value, [name]: one }));
    }),
  ];
  return fc.oneof(...ways);
}

function badValues(schema: Schema): unknown[] {
  const nullable = schema.anyOf?.some((one: Schema) => one.type === 'null');
  const { anyOf, ...own } = schema;
  const meant = nullable ? anyOf.find((one: Schema) => one.type !== 'null') : own;
  const types = [meant.type].flat();
  if (meant.enum) return ['none of these', 7, {}];
  if (types.includes('boolean')) return ['true', 1, []];
  if (types.includes('integer')) {
    const beyond = [meant.minimum - 1, meant.maximum + 1].filter(Number.isFinite);
    return ['1', 1.5, {}, ...beyond];
  }
  if (types.includes('array')) return ['text', {}, 7];
  if (!types.includes('string')) return [];
  return [
    7,
    {},
    ...(meant.minLength > 0 ? [''] : []),
    ...(meant.maxLength ? ['x'.repeat(meant.maxLength + 1)] : []),
    ...(meant.format === 'date' || meant.format === 'date-time' ? ['soon', '2025-13-01'] : []),
    ...(meant.pattern ? ['\0'] : []),
  ];
}
