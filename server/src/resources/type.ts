/**
 * Builds the schemas of requests and replies: plain JSON Schema, with the types of TypeBox. TypeBox itself can do much
 * more at run time, and loading its 373 modules slowed each start and took 4 MB in every process.
 */
import type { TObject, TProperties, TSchema, default as TypeBox } from 'typebox';

/** Where TypeBox puts it too: on the schema, where neither JSON nor a copy has it. */
const OPTIONAL = '~optional';

const plain = (type: string) => (options?: object) => ({ type, ...options });

function object(properties: object, options?: object) {
  const fields = Object.entries(properties);
  const required = fields.filter(([, field]) => !(OPTIONAL in field)).map(([name]) => name);
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

/** The same schema with these keywords last. */
function changed(schema: object, options: object): object {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  for (const [name, value] of Object.entries(options)) {
    Reflect.deleteProperty(copy, name);
    Object.assign(copy, { [name]: value });
  }
  return copy;
}

function optional(schema: object): object {
  return Object.defineProperty(changed(schema, {}), OPTIONAL, { value: true });
}

const fieldsOf =
  (isWanted: (name: string, names: readonly string[]) => boolean) =>
  ({ properties }: TObject, names: readonly string[], options?: object) =>
    object(
      Object.fromEntries(Object.entries(properties).filter(([name]) => isWanted(name, names))),
      options,
    );

export const Type = typed({
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Integer: plain('integer'),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: plain('null'),
  Number: plain('number'),
  Object: object,
  Omit: fieldsOf((name, names) => !names.includes(name)),
  Optional: optional,
  Partial: ({ properties }: TObject, options?: object) =>
    object(
      Object.fromEntries(
        Object.entries(properties as TProperties).map(([name, field]) => [name, optional(field)]),
      ),
      options,
    ),
  Pick: fieldsOf((name, names) => names.includes(name)),
  Record: (_name: TSchema, value: TSchema, options?: object) =>
    changed({ type: 'object', patternProperties: { '^.*$': value } }, options ?? {}),
  String: plain('string'),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: object) => changed(schema, {}),
  With: changed,
});

/** TypeBox's types say what each builder builds, which no annotation here could say as shortly. */
function typed<Name extends keyof typeof TypeBox>(
  builders: Record<Name, (...given: never[]) => object>,
) {
  return builders as Pick<typeof TypeBox, Name>;
}
