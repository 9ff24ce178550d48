import { expect, test } from 'vitest';
import { input } from '../resources/forms.ts';
import { Type } from '../resources/type.ts';
import { compileAtFirstRequest, compileSchema, MOST_VALUES_FOR_ALL_ERRORS } from './validator.ts';

const example = input('Example', {
  name: Type.String({ maxLength: 3 }),
  list: Type.Optional(Type.Array(Type.Integer())),
});
const check = compileSchema(example);

function fieldsWithErrors(value: unknown): number {
  return check(value) ? 0 : (check.errors?.length ?? 0);
}

function unknownFields(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 0]));
}

test('reports every error of a small input', () => {
  expect(fieldsWithErrors({ name: 'Bo' })).toBe(0);
  expect(fieldsWithErrors({ name: 'Bella', list: ['1'], nmae: 1 })).toBe(3);
  expect(fieldsWithErrors(unknownFields(MOST_VALUES_FOR_ALL_ERRORS - 1))).toBe(
    MOST_VALUES_FOR_ALL_ERRORS,
  );
});

test('reports one error of a large input, and finds no more', () => {
  expect(fieldsWithErrors(unknownFields(MOST_VALUES_FOR_ALL_ERRORS))).toBe(1);
  expect(fieldsWithErrors({ name: 'Bo', list: Array(100_000).fill('1') })).toBe(1);
});

test('accepts a large input that is valid', () => {
  expect(fieldsWithErrors({ name: 'Bo', list: Array(100_000).fill(1) })).toBe(0);
});

test('compiles the schema of a request in a turn of its own, and then checks at once', async () => {
  const checkRequest = compileAtFirstRequest(example);
  const first = checkRequest({ name: 'Bella' });
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toBe(false);
  expect(checkRequest.errors).toMatchObject([{ instancePath: '/name' }]);
  expect(checkRequest({ name: 'Bo' })).toBe(true);
});

test.each([
  ['', [0, 0]],
  ['ab', [2, 2]],
  ['🏨', [1, 1]],
  ['🏨🏨', [2, 2]],
  ['\ud83c', [1, 1]],
  ['🏨🏨🏨', [3, 3]],
])('counts the characters of %j, not their units', (text, [least = 0, most = 0]) => {
  const fits = (bounds: { minLength?: number; maxLength?: number }) =>
    compileSchema(Type.String(bounds))(text);
  expect(fits({ minLength: least, maxLength: most })).toBe(true);
  expect(fits({ minLength: least + 1 })).toBe(false);
  if (most > 0) expect(fits({ maxLength: most - 1 })).toBe(false);
});
