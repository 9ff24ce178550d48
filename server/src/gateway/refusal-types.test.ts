import type { PartnerApiErrorCode } from '@bellhop/partner';
import { expect, expectTypeOf, test } from 'vitest';
import { refusals } from './refusal.ts';

type Code = (typeof refusals)[keyof typeof refusals]['code'];

test('the partner package knows exactly the codes that the service answers with', () => {
  // Enforced by the type check of npm test.
  expectTypeOf<PartnerApiErrorCode>().toEqualTypeOf<Code>();
  expect(Object.keys(refusals).length).toBeGreaterThan(0);
});
