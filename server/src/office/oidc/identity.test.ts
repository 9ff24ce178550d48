import { describe, expect, test } from 'vitest';
import type { PersonRole } from '../../base/config/values.ts';
import { identityFrom, LONGEST_NAME } from './identity.ts';

const ISSUER = 'https://login.example.com';
const roleMap = new Map<string, PersonRole>([
  ['staff', 'viewer'],
  ['desk', 'support'],
  ['ops', 'admin'],
]);

const read = (claims: object, rolesClaim = 'roles') =>
  identityFrom({ sub: 's1', ...claims }, { issuer: ISSUER, rolesClaim, roleMap });

test('a person has the id, the name and the email of the claims', () => {
  const claims = { name: 'Ada Lovelace', email: 'ada@example.com', roles: ['desk'] };
  expect(read(claims)).toEqual({
    issuer: ISSUER,
    subject: 's1',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    role: 'support',
  });
});

describe('the role', () => {
  test.each([
    [['staff', 'ops', 'desk'], 'admin'],
    [['desk', 'staff', 'others'], 'support'],
    ['staff', 'viewer'],
    [['others'], null],
    [[], null],
    [undefined, null],
    ['staff ops', null],
    [[['ops']], null],
    [[null, 7, {}], null],
    [{ ops: true }, null],
  ])('for %j is %s', (roles, role) => {
    expect(read({ roles }).role).toBe(role);
  });

  test('can be in a claim inside another, or in one whose name has dots', () => {
    expect(read({ realm_access: { roles: ['ops'] } }, 'realm_access.roles').role).toBe('admin');
    const name = 'https://example.com/roles';
    expect(read({ [name]: ['desk'] }, name).role).toBe('support');
    expect(read({ roles: ['ops'] }, 'roles.constructor').role).toBeNull();
    expect(read({}, '__proto__').role).toBeNull();
  });
});

describe('the name', () => {
  test.each([
    [{ preferred_username: 'ada', email: 'ada@example.com' }, 'ada'],
    [{ name: ' ', nickname: 'Ada' }, 'Ada'],
    [{ email: 'ada@example.com' }, 'ada@example.com'],
    [{}, 's1'],
    [{ name: 7 }, 's1'],
    [{ name: 'Ada\n\u0000\u202eLovelace' }, 'Ada Lovelace'],
    [{ name: 'Ada <root@example.com> (oidc 1)' }, 'Ada root@example.com (oidc 1)'],
    [{ name: '\ud800' }, '\ufffd'],
    [{ name: '🛎'.repeat(LONGEST_NAME + 1) }, '🛎'.repeat(LONGEST_NAME)],
  ])('from %j is %s', (claims, name) => {
    expect(read(claims).name).toBe(name);
  });
});

describe('the email is left out', () => {
  test.each([
    [{ email: 'ada@example.com', email_verified: false }],
    [{ email: 'ada@example.com', email_verified: 'false' }],
    [{ email: 'ada' }],
    [{ email: 'ada@example.com> (oidc 2)' }],
    [{ email: 'a\u0000@example.com' }],
    [{ email: `${'a'.repeat(254)}@example.com` }],
    [{ email: ['ada@example.com'] }],
  ])('for %j', (claims) => {
    expect(read(claims).email).toBeNull();
  });
});

test.each(['', 'x'.repeat(256), 'a\nb', 'é'])('the id %j is refused', (sub) => {
  expect(() => read({ sub })).toThrow('sub is not 1 to 255 printable ASCII characters');
});
