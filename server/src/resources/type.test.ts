import TypeBox, { type TObject } from 'typebox';
import { expect, test } from 'vitest';
import { Type } from './type.ts';

type Build = (build: typeof Type) => object;

const about = { description: 'About it.', title: 'It' };
const built: Record<keyof typeof Type, Build> = {
  Array: (build) => build.Array(build.String(), { maxItems: 3 }),
  Boolean: (build) => build.Boolean(about),
  Integer: (build) => build.Integer({ minimum: 1 }),
  Literal: (build) =>
    build.Array(build.Union([build.Literal('key', about), build.Literal(5), build.Literal(true)])),
  Null: (build) => build.Null(),
  Number: (build) => build.Number(),
  Object: (build) => build.Object({ a: build.String(), b: build.Optional(build.Null()) }, about),
  Omit: (build) => build.Omit(whole(build), ['a', 'b'], about),
  Optional: (build) => build.Object({ a: build.Optional(build.Optional(build.String(about))) }),
  Partial: (build) => build.Partial(whole(build), about),
  Pick: (build) => build.Pick(whole(build), ['b', 'c'], about),
  Record: (build) => build.Record(build.String(), build.Integer(), about),
  String: (build) => build.String({ maxLength: 3, type: 'null' }),
  Union: (build) => build.Union([build.Integer(), build.Null()], about),
  Unknown: (build) => build.Unknown(about),
  Unsafe: (build) => build.Unsafe({ enum: ['a', 'b'], type: 'string' }),
  With: (build) =>
    build.Object({ a: build.With(build.Optional(build.String(about)), { title: 'Other' }) }),
};

function whole(build: typeof Type) {
  return build.Object(
    { a: build.String(), b: build.Optional(build.Integer()), c: build.Boolean() },
    about,
  );
}

test.each(Object.entries(built))('%s builds what TypeBox builds', (_, build) => {
  const ours = build(Type);
  expect(JSON.stringify(ours)).toBe(JSON.stringify(build(TypeBox)));
  expect(Object.keys(ours)).toEqual(Object.keys(build(TypeBox)));
});

test('a copy of a field is required again, as with TypeBox', () => {
  const required = (build: typeof Type) =>
    (build.Object({ a: { ...build.Optional(build.String()) } }) as TObject).required;
  expect(required(Type)).toEqual(['a']);
  expect(required(TypeBox)).toEqual(['a']);
});
