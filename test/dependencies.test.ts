import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../docs/dependencies.md', import.meta.url), 'utf8');
const { workspaces } = readPackage('');
const folders = ['', ...workspaces.map((folder) => `${folder}/`)];
const ours = folders.map((folder) => readPackage(folder).name);

interface Package {
  name: string;
  workspaces: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

function readPackage(folder: string): Package {
  return JSON.parse(readFileSync(new URL(`../${folder}package.json`, import.meta.url), 'utf8'));
}

/** Packages in the first column of a table, under the headings that are about what we depend on. */
function documented(): string[] {
  return page
    .split(/^(?=#{2,3} )/m)
    .filter((part) => /^## (At run time|For)/.test(part))
    .flatMap((part) => [...part.matchAll(/^\| (`.+?`) \|/gm)])
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
    .map(([, name]) => name as string);
}

function depended(): string[] {
  const names = folders
    .map(readPackage)
    .flatMap((one) => [
      ...Object.keys(one.dependencies ?? {}),
      ...Object.keys(one.devDependencies ?? {}),
      ...Object.keys(one.peerDependencies ?? {}),
      ...Object.keys(one.optionalDependencies ?? {}),
    ]);
  return [...new Set(names)].filter((name) => !ours.includes(name));
}

test('docs/dependencies.md has a row for every dependency, and no other rows', () => {
  expect(documented().sort()).toEqual(depended().sort());
});
