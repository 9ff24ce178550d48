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
  if (schema.examples) return fc.constantFrom(...schema.examples);
  switch (schema.format) {
    case 'date':
      return day();
    case 'date-time':
      return day().map((date) => `${date}T12:00:00Z`);
    case 'uri':
      return fc.constantFrom('https://198.51.100.7/webhook', 'http://127.0.0.1:9/');
    default: {
      const pattern = new RegExp(schema.pattern ?? '', 'u');
      const maxLength = Math.min(schema.maxLength ?? 40, 40);
      // Code points, because lengths count those.
      return fc
        .string({ unit: 'binary', minLength: schema.minLength ?? 0, maxLength })
        .filter((value) => pattern.test(value));
    }
  }
}

function day(): fc.Arbitrary<string> {
  const from = Date.UTC(2025, 9, 1);
  return fc
    .integer({ min: 0, max: 400 })
    .map((days) => new Date(from + days * 86_400_000).toISOString().slice(0, 10));
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
