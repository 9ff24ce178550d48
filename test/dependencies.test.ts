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

test('nothing that runs in production is made for one platform, or runs a script when it is installed', () => {
  const lock = new URL('../package-lock.json', import.meta.url);
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const installed = Object.entries(packages).filter(
    ([name, { dev, devOptional, link }]) =>
      name.includes('node_modules/') && !dev && !devOptional && !link,
  );
  expect(installed.length).toBeGreaterThan(20);
  const bound = installed.filter(
    ([, { os, cpu, hasInstallScript }]) => os ?? cpu ?? hasInstallScript,
  );
  expect(bound.map(([name]) => name)).toEqual([]);
});

interface Locked {
  dev?: true;
  devOptional?: true;
  link?: true;
  os?: string[];
  cpu?: string[];
  hasInstallScript?: true;
}
