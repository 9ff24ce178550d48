import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readOptions } from '../options.ts';
import { singleFaults } from './single-faults.ts';

const page = readFileSync(new URL('../../docs/operating/clusters.md', import.meta.url), 'utf8');

test('docs/operating/clusters.md has a row for every fault, and no other rows', () => {
  const [, faults = ''] = page.split(/^## Faults$/m);
  const rows = [...faults.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(Object.keys(singleFaults).sort());
});

test('--fault takes one of them and implies three nodes on PostgreSQL', () => {
  expect(readOptions(['--fault', 'redis-failover'])).toMatchObject({
    fault: 'redis-failover',
    engine: 'postgres',
    nodes: 3,
  });
  expect(() => readOptions(['--fault', 'constructor'])).toThrow('--fault must be one of');
  expect(() => readOptions(['--fault', 'node-killed', '--engine', 'sqlite'])).toThrow('implies');
});
