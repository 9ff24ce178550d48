/** The version stands where npm, Helm and image registries read it. A release changes all of these at once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { pagesOf } from '../site/pages.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readJson = (file: string) => JSON.parse(read(file));

const { version } = readJson('server/package.json');
const folders: string[] = readJson('package.json').workspaces;
const { packages } = readJson('package-lock.json');

test.each(folders)('%s has the version of the server, also in the lock file', (folder) => {
  const { name, ...manifest } = readJson(`${folder}/package.json`);
  expect([name, manifest.version]).toEqual([name, version]);
  expect(packages[folder].version).toBe(version);
  for (const { dependencies } of [manifest, packages[folder]]) {
    const ours = Object.entries(dependencies ?? {}).filter(([one]) => one.startsWith('@bellhop/'));
    expect(ours).toEqual(ours.map(([one]) => [one, version]));
  }
});

test('the chart, the image and the newest release of the changelog have it too', () => {
  const chart = parse(read('deploy/helm/bellhop/Chart.yaml'));
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
  expect(read('deploy/Dockerfile')).toContain(`org.opencontainers.image.version="${version}"`);
  const [, newest] = /^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/m.exec(read('CHANGELOG.md')) ?? [];
  expect(newest).toBe(version);
});

test('SECURITY.md says that its line is supported', () => {
  const [major] = version.split('.');
  expect(read('SECURITY.md')).toMatch(new RegExp(`^\\| ${major}\\.x \\| yes`, 'm'));
});

test('no page names the file or the image of one release', () => {
  for (const page of ['README.md', 'server/README.md', ...pagesOf('all').keys()]) {
    const named = read(page).match(/\bbellhop(?:-partner)?[-:]\d+\.\d+\.\d+/g);
    expect([page, named]).toEqual([page, null]);
  }
});
