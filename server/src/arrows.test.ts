/** The direction of imports. A newcomer can read a folder without the folders that use it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { circles, readImports, readSources } from '../testing/imports.ts';

const imports = readImports();

/** The folder, or the file itself if it is in none. */
function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : file;
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
    ['folders', folderOf],
  ])('there are none between %s, even of types', (_, nameOf) => {
    expect(circles(arrowsBetween(nameOf))).toEqual([]);
  });
});

describe('each thing has one place', () => {
  test.each([
    ['SQL', /^(kysely|pg|node:sqlite)(\/|$)/, ['store', 'resources', 'import', 'copies']],
    ['Redis', /^@redis\//, ['limits']],
    ['the HTTP framework', /^(fastify$|@fastify\/)/, ['back-office', 'portal']],
    ['schemas', /^typebox/, ['back-office', 'portal', 'resources', 'import']],
    ['OpenID Connect', /^(openid-client|oauth4webapi|jose)$/, ['oidc']],
    ['the arithmetic of addresses', /^ipaddr\.js$/, ['addresses', 'receiver']],
  ])('%s', (_, packages, folders) => {
    const strays = importersOf(packages).filter((file) => !folders.includes(folderOf(file)));
    expect(strays).toEqual([]);
  });

  /** The actions of a resource read like its rules; its SQL is in a file beside them. */
  const QUERIES =
    /^resources\/.*queries\.ts$|^copies\/|^import\/(bulk|export-pages|known-records)\.ts$/;

  /** A file can build a query on a database that it was given, without importing the query builder. */
  test('queries', () => {
    const builders =
      /\b(selectFrom|insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\s*[(<]/;
    const files = [...readSources()].filter(([, source]) => builders.test(source));
    expect(files.length).toBeGreaterThan(10);
    const strays = files
      .map(([file]) => file)
      .filter((file) => folderOf(file) !== 'store' && !QUERIES.test(file));
    expect(strays).toEqual([]);
  });

  test("tests' own parts are outside", () => {
    expect(
      importersOf(/^\.\.|^vitest$|^fast-check$/).filter((file) => file !== 'version.ts'),
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
  test('nothing imports node:http, which would load undici: listening/node-http.ts has it', () => {
    const importers = [...imports].flatMap(([file, all]) =>
      all.some(({ of, kind }) => of === 'node:http' && kind === 'value') ? [file] : [],
    );
    expect(importers).toEqual([]);
  });

  const loaded = (file: string) =>
    [...loadedWith(file)].map((of) => (imports.has(of) ? folderOf(of) : of));

  test.each(['main.ts', 'partner-apis.ts'])('the main thread, with %s', (file) => {
    const heavy =
      /^(back-office|portal|delivery|receiver|receiver-check|resources|orders|services\.ts)$/;
    expect(loaded(file).filter((of) => heavy.test(of))).toEqual([]);
    const packages = /^(fastify|@fastify\/|typebox|undici|pg|kysely|@redis\/)/;
    expect(loaded(file).filter((of) => packages.test(of))).toEqual([]);
  });

  test('the main thread, with what it opens in every process: no schemas', () => {
    for (const file of ['store/sqlite/open.ts', 'store/postgres/open.ts', 'store/open.ts']) {
      expect(loaded(file), file).not.toContain('typebox');
    }
    expect(loaded('resources/tokens/first-token.ts')).not.toContain('typebox');
  });

  test('the services thread', () => {
    const loadedThere = [
      ...loaded('threads/services-thread.ts'),
      ...loaded('back-office/app.ts'),
      ...loaded('store/sqlite/open.ts'),
    ];
    expect(loadedThere).toContain('fastify');
    expect(
      loadedThere.filter((of) => /^(undici|pg|@redis\/|openid-client|partner-apis\.ts)/.test(of)),
    ).toEqual([]);
    expect([...loadedWith('threads/services-thread.ts')]).not.toContain('partner-api/answer.ts');
  });

  test('the portal loads nothing of the back office but how to serve HTTP', () => {
    const ofBackOffice = [...loadedWith('portal/app.ts')].filter((of) => /^back-office\//.test(of));
    const app =
      /\/(app|csv|import-routes|order-|oidc-|session-routes|health-routes|openapi\/(back-office|partner|webhook))/;
    expect(ofBackOffice.filter((of) => app.test(of))).toEqual([]);
    expect(ofBackOffice).toContain('back-office/http-app.ts');
  });
});

describe('which parts may import each other', () => {
  test('imports only go down the map in ARCHITECTURE.md', () => {
    const page = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
    const [, map = ''] = /^## The map$([\s\S]*?)^## /m.exec(page) ?? [];
    const lines = map.split('\n').flatMap((line) => {
      const names = [...line.matchAll(/\(server\/src\/([^/)]+)/g)].map(([, name]) => name);
      return line.startsWith('| [') ? [names] : [];
    });
    const lineOf = (name: string) => {
      const found = lines.findIndex((names) => names.includes(name));
      // Files directly in src/ are on the last line, unless another one names them.
      return found >= 0 || !name.endsWith('.ts') ? found : lines.length - 1;
    };
    const wrong = [...arrowsBetween(folderOf)].flatMap(([from, all]) =>
      [...all].flatMap((to) => {
        const isDown = lineOf(from) >= 0 && lineOf(from) <= lineOf(to);
        return isDown ? [] : [`${from} → ${to}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  const allowed = (folder: string) => [...new Set(arrowsBetween(folderOf).get(folder))].sort();

  test('delivery knows neither the store, nor how orders come in, nor the receiver check', () => {
    expect(allowed('delivery')).not.toContain('store');
    expect(allowed('delivery')).not.toContain('receiver-check');
    expect(importersOf(/^orders\/accept\.ts$/).map(folderOf)).not.toContain('delivery');
  });

  test('orders and the receiver check do not know delivery', () => {
    expect(allowed('orders')).not.toContain('delivery');
    expect(allowed('receiver-check')).not.toContain('delivery');
  });

  test('the portal knows of the store only what resources tell it', () => {
    expect(allowed('portal')).not.toContain('store');
    expect(allowed('back-office')).not.toContain('portal');
    expect(allowed('resources')).not.toContain('portal');
  });

  test('only the composition knows both halves', () => {
    const halves =
      /^(main|reload|partner-apis|key-sign-ins|services|order-webhooks|mailing|environment)\.ts$|^threads\//;
    const strays = importersOf(halves).filter((file) => !halves.test(file));
    expect(strays).toEqual(['cli/serve.ts']);
  });
});
