import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, defaultGrant, OVERVIEW } from './catalogue.ts';
import { defaultGrants, type Grant, GrantSet } from './grants.ts';

const FIELDS = [
  'endpoint',
  'is_active',
  'is_debug_mode',
  'is_limited',
  'requests_number',
  'seconds_number',
];
const HP = 'api/b2b/v3/search/hp/';

const anyGrant = (endpoint: string): fc.Arbitrary<Grant> =>
  fc
    .record({
      // The fields are in a different order than in the overview, which must not matter.
      seconds_number: fc.integer({ min: 1 }),
      requests_number: fc.integer({ min: 1 }),
      is_limited: fc.boolean(),
      is_debug_mode: fc.boolean(),
      is_active: fc.boolean(),
    })
    .map((rest) => ({ ...rest, endpoint }));

const anyGrants = fc
  .shuffledSubarray(catalogue.map(({ endpoint }) => endpoint))
  .chain((endpoints) => fc.tuple(...[...new Set([...endpoints, OVERVIEW])].map(anyGrant)));

describe('a grant set', () => {
  test("is in the catalogue's order, with the fields in the overview's order", () => {
    fc.assert(
      fc.property(anyGrants, (grants) => {
        const set = new GrantSet(grants);
        const shown = JSON.parse(set.json) as Grant[];
        const places = shown.map(({ endpoint }) =>
          catalogue.findIndex((entry) => entry.endpoint === endpoint),
        );
        expect(places).toEqual([...places].sort((a, b) => a - b));
        for (const grant of shown) expect(Object.keys(grant)).toEqual(FIELDS);
        expect(shown).toHaveLength(grants.length);
        for (const grant of grants) expect(set.of(grant.endpoint)).toEqual(grant);
      }),
    );
  });

  test('has the same id for grants in any order, and can be read back from its JSON', () => {
    fc.assert(
      fc.property(anyGrants, (grants) => {
        const set = new GrantSet(grants);
        expect(new GrantSet([...grants].reverse()).id).toBe(set.id);
        const parsed = GrantSet.parse(set.json);
        expect([parsed.id, parsed.json, parsed.grants]).toEqual([set.id, set.json, set.grants]);
      }),
    );
  });

  test('has another id if any field differs', () => {
    const set = defaultGrants();
    const changes: Partial<Grant>[] = [
      { is_active: false },
      { is_debug_mode: true },
      { is_limited: false },
      { requests_number: 11 },
      { seconds_number: 61 },
    ];
    const ids = changes.map((change) => set.with({ ...defaultGrant(HP), ...change }).id);
    expect(new Set([set.id, ...ids]).size).toBe(6);
    expect(set.with(defaultGrant(HP)).id).toBe(set.id);
  });

  test('replaces, adds or removes one grant without changing the original set', () => {
    const set = defaultGrants([HP]);
    const changed = set.with({ ...defaultGrant(HP), requests_number: 99 });
    expect(changed.of(HP)?.requests_number).toBe(99);
    expect(set.of(HP)?.requests_number).toBe(10);
    expect(set.without(HP).grants.map((grant) => grant.endpoint)).toEqual([OVERVIEW]);
    expect(set.grants).toHaveLength(2);
  });

  test('always contains overview/', () => {
    expect(() => defaultGrants().without(OVERVIEW)).toThrow('overview');
    expect(() => new GrantSet([])).toThrow('overview');
  });

  test('cannot contain an unknown endpoint', () => {
    const stranger = { ...defaultGrant(OVERVIEW), endpoint: 'api/b2b/v3/nothing/' };
    expect(() => defaultGrants().with(stranger)).toThrow('api/b2b/v3/nothing/');
    expect(() => defaultGrants(['api/b2b/v3/nothing/'])).toThrow('api/b2b/v3/nothing/');
  });
});

test('of a new key is the whole catalogue, or the named part with overview/', () => {
  expect(defaultGrants().grants).toHaveLength(43);
  expect(defaultGrants([]).grants.map((grant) => grant.endpoint)).toEqual([OVERVIEW]);
  expect(defaultGrants([OVERVIEW, HP, HP]).grants.map((grant) => grant.endpoint)).toEqual([
    HP,
    OVERVIEW,
  ]);
});
