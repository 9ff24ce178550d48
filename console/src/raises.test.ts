import fc from 'fast-check';
import { expect, test } from 'vitest';
import { letsMoreThrough as onTheServer } from '../../server/src/support/put-grant.ts';
import { letsMoreThrough } from './raises.ts';

const grant = fc.record({
  endpoint: fc.constant('api/b2b/v3/search/hp/'),
  is_active: fc.boolean(),
  is_debug_mode: fc.boolean(),
  is_limited: fc.boolean(),
  requests_number: fc.integer({ min: 1, max: 200 }),
  seconds_number: fc.integer({ min: 1, max: 200 }),
});

test('the page asks for an approval exactly when the server does', () => {
  fc.assert(
    fc.property(grant, grant, (before, after) => {
      expect(letsMoreThrough(before, after)).toBe(onTheServer(before, after));
    }),
  );
});
