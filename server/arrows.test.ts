/** The direction of imports. A newcomer can read a folder without the folders that use it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { circles, readImports, readSources } from './testing/imports.ts';

const imports = readImports();

function roomOf(file: string): string {
  return file.split('/')[0] ?? '';
}

function arrowsBetween(nameOf: (file: string) => string) {
  const arrows = new Map<string, Set<string>>();
  for (const [file, all] of imports) {
    const from = nameOf(file);
    const to = arrows.get(from) ?? new Set();
    arrows.set(from, to);
    for (const one of all) {
      if (imports.has(one.of) && nameOf(one.of) !== from) to.add(nameOf(one.of));
    }
  }
  return arrows;
}

/** Every file with an import that matches. */
function importersOf(pattern: RegExp): string[] {
  return [...imports].flatMap(([file, all]) =>
    all.some(({ of }) => pattern.test(of)) ? [file] : [],
  );
}

test('every imported file of the server exists', () => {
  const missing = [...imports].flatMap(([file, all]) =>
    all
      .filter(({ of }) => of.endsWith('.ts') && !imports.has(of))
      .map(({ of }) => `${file} → ${of}`),
  );
  expect(missing).toEqual([]);
  expect(imports.size).toBeGreaterThan(100);
});

describe('circles', () => {
  test('are found', () => {
    const arrows = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', ['e']],
      ['e', []],
      ['f', ['g']],
      ['g', ['f', 'a']],
    ]);
    expect(circles(arrows)).toEqual([
      ['a', 'b', 'c'],
      ['f', 'g'],
    ]);
  });

  test.each([
    ['files', (file: string) => file],
    ['rooms', roomOf],
  ])('there are none between %s, even of types', (_, nameOf) => {
    expect(circles(arrowsBetween(nameOf))).toEqual([]);
  });
});

describe('each thing has one place', () => {
  test.each([
    ['SQL', /^(kysely|pg|node:sqlite)(\/|$)/, /^(store|resources|operate)\//],
    ['Redis', /^@redis\//, /^limiter\//],
    ['the HTTP framework', /^(fastify$|@fastify\/)/, /^(office|portal)\//],
    ['schemas', /^typebox/, /^(office|portal|resources)\//],
    ['OpenID Connect', /^(openid-client|oauth4webapi|jose)$/, /^office\/oidc\//],
    ['the arithmetic of addresses', /^ipaddr\.js$/, /^(base\/addresses|receiver)\//],
  ])('%s', (_, packages, places) => {
    expect(importersOf(packages).filter((file) => !places.test(file))).toEqual([]);
  });

  /** The actions of a resource read like its rules; its SQL is in a file beside them. */
  const QUERIES = /^resources\/.*queries\.ts$|^operate\//;

  /** A file can build a query on a database that it was given, without importing the query builder. */
  test('queries', () => {
    const builders =
      /\b(selectFrom|insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\s*[(<]/;
    const files = [...readSources()].filter(([, source]) => builders.test(source));
    expect(files.length).toBeGreaterThan(10);
    const strays = files
      .map(([file]) => file)
      .filter((file) => roomOf(file) !== 'store' && !QUERIES.test(file));
    expect(strays).toEqual([]);
  });

  test("tests' own parts are outside", () => {
    expect(
      importersOf(/^\.\.|^vitest$|^fast-check$/).filter((file) => file !== 'base/version.ts'),
    ).toEqual([]);
  });
});

/** What a file loads as soon as it is loaded, files and packages alike. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  for (const { of, kind } of imports.get(file) ?? []) {
    if (kind !== 'value' || seen.has(of)) continue;
    seen.add(of);
    loadedWith(of, seen);
  }
  return seen;
}

describe('each thread loads what it runs, which is what an idle process pays for', () => {
  test('nothing imports node:http, which would load undici: listener/node-http.ts has it', () => {
    const importers = [...imports].flatMap(([file, all]) =>
      all.some(({ of, kind }) => of === 'node:http' && kind === 'value') ? [file] : [],
    );
    expect(importers).toEqual([]);
  });

  const loaded = (file: string) => [...loadedWith(file)];

  test.each(['main/main.ts', 'main/partner-apis.ts'])('the main thread, with %s', (file) => {
    const heavy =
      /^((office|portal|delivery|receiver(?!\/trusted-cas)|resources)\/|main\/services\.ts)/;
    expect(loaded(file).filter((of) => heavy.test(of))).toEqual([]);
    const packages = /^(fastify|@fastify\/|undici|pg|kysely|@redis\/)/;
    expect(loaded(file).filter((of) => packages.test(of))).toEqual([]);
  });

  test('the main thread, with what it opens in every process: no schemas', () => {
    for (const file of ['store/sqlite/open.ts', 'store/postgres/open.ts', 'store/open.ts']) {
      expect(loaded(file), file).not.toContain('resources/type.ts');
    }
    expect(loaded('resources/tokens/first-token.ts')).not.toContain('resources/type.ts');
  });

  test('no thread loads TypeBox: resources/type.ts has its types and builds what it builds', () => {
    const importers = [...imports].flatMap(([file, all]) =>
      all.some(({ of, kind }) => /^typebox|typebox$/.test(of) && kind === 'value') ? [file] : [],
    );
    expect(importers).toEqual([]);
  });

  test('the services thread', () => {
    const loadedThere = [
      ...loaded('main/threads/services-thread.ts'),
      ...loaded('office/app.ts'),
      ...loaded('store/sqlite/open.ts'),
    ];
    expect(loadedThere).toContain('fastify');
    expect(
      loadedThere.filter((of) =>
        /^(undici|pg$|@redis\/|openid-client|main\/partner-apis\.ts)/.test(of),
      ),
    ).toEqual([]);
    expect([...loadedWith('main/threads/services-thread.ts')]).not.toContain('gateway/answer.ts');
  });

  test('the portal loads nothing of the back office but how to serve HTTP', () => {
    const ofBackOffice = [...loadedWith('portal/app.ts')].filter((of) => /^office\//.test(of));
    const app =
      /\/(app|csv|import-routes|order-|oidc-|session-routes|health-routes|openapi\/(back-office|partner|webhook))/;
    expect(ofBackOffice.filter((of) => app.test(of))).toEqual([]);
    expect(ofBackOffice).toContain('office/http-app.ts');
  });
});

describe('which parts may import each other', () => {
  const rooms = readMap();

  test('the map in ARCHITECTURE.md has every room, and nothing lies beside them', () => {
    expect(new Set([...imports.keys()].map(roomOf))).toEqual(new Set(rooms.keys()));
  });

  test('imports only go down the map', () => {
    const order = [...rooms.keys()];
    const wrong = [...arrowsBetween(roomOf)].flatMap(([from, all]) =>
      [...all].flatMap((to) => (order.indexOf(from) < order.indexOf(to) ? [] : `${from} → ${to}`)),
    );
    expect(wrong).toEqual([]);
  });

  // A room that others enter everywhere has no inside. A lower number belongs into the map.
  test.each([...rooms])('%s has %i doors', (room, doors) => {
    const entered = [...imports].flatMap(([file, all]) =>
      all.flatMap(({ of }) =>
        imports.has(of) && roomOf(of) === room && roomOf(file) !== room ? [of] : [],
      ),
    );
    expect(new Set(entered).size).toBe(doors);
  });

  test.each(['limiter', 'receiver', 'listener'])(
    '%s could be published: it knows no record, store or office',
    (room) => {
      const known = [...(arrowsBetween(roomOf).get(room) ?? [])];
      expect(known.filter((one) => !['base', 'listener', 'receiver'].includes(one))).toEqual([]);
    },
  );

  test('delivering knows neither how orders come in nor the receiver check, nor they it', () => {
    const delivering = /^delivery\/[^/]+$/;
    expect(
      importersOf(/^delivery\/(orders\/accept|receiver-check\/)/).filter((file) =>
        delivering.test(file),
      ),
    ).toEqual([]);
  });

  test('only the composition and the command that serves know both halves', () => {
    const halves = /^main\//;
    expect(importersOf(halves).filter((file) => !halves.test(file))).toEqual(['cli/serve.ts']);
  });
});

/** The rooms from the top down, with the number of their doors. */
function readMap(): Map<string, number> {
  const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');
  const [, map = ''] = /^## The map$([\s\S]*?)^## /m.exec(page) ?? [];
  const lines = [...map.matchAll(/^\| \[(\w+)\]\(server\/src\/\1\/.* \| (\d+) \|$/gm)];
  return new Map(lines.map(([, room = '', doors]) => [room, Number(doors)]));
}
