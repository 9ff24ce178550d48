import { describe, expect, test } from 'vitest';
import { documentedErrors } from '../../testing/documented-errors.ts';
import { Problem, type ProblemCode, problems } from './problem.ts';

const codes = Object.keys(problems) as ProblemCode[];

describe('docs/errors.md, back office', () => {
  const rows = documentedErrors('Back office');

  test.each(codes)('lists %s with its status', (code) => {
    expect(rows.filter((row) => row.code === code)).toMatchObject([
      { status: problems[code].status },
    ]);
  });

  test('lists no code that does not exist', () => {
    expect(
      rows.map((row) => row.code).filter((code) => !codes.includes(code as ProblemCode)),
    ).toEqual([]);
  });

  test('says in whole sentences what each code means and what to do', () => {
    for (const { meaning, remedy } of rows) {
      expect(meaning).toMatch(/^[A-Z`].*\.$/);
      expect(remedy).toMatch(/^[A-Z`].*\.$/);
    }
  });
});

test.each(codes)('%s has a whole sentence and an error status', (code) => {
  expect(problems[code].title).toMatch(/^\S.*\.$/);
  expect(problems[code].status).toBeGreaterThanOrEqual(400);
});

test('a problem has the form of RFC 9457, with its code', () => {
  expect(JSON.parse(JSON.stringify(new Problem('key_not_found')))).toEqual({
    type: 'urn:bellhop:problem:key_not_found',
    title: 'There is no such key in this environment.',
    status: 404,
    code: 'key_not_found',
    detail: 'There is no such key in this environment.',
  });
  const errors = [{ field: '/name', detail: 'is missing' }];
  expect(JSON.parse(JSON.stringify(new Problem('validation_failed', 'Do.', errors)))).toMatchObject(
    {
      detail: 'Do.',
      errors,
    },
  );
});
