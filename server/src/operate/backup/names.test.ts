import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support.ts';
import { readPrometheus } from '../../../testing/prometheus.ts';
import { Metrics } from '../../base/metrics.ts';
import { watchBackups } from './names.ts';

async function shown(folder: string): Promise<number | undefined> {
  const metrics = new Metrics();
  const end = await watchBackups(folder, metrics);
  end();
  const families = readPrometheus(metrics.text('prometheus'));
  return families.get('bellhop_backup_newest_timestamp_seconds')?.samples[0]?.value;
}

test('shows when the newest complete backup was written, be it a folder or a dump', async () => {
  const folder = await temporaryFolder();
  expect(await shown(folder)).toBe(0);
  const put = (name: string, atSeconds: number, isFolder = false) => {
    const path = join(folder, name);
    if (isFolder) mkdirSync(path);
    else writeFileSync(path, '');
    utimesSync(path, atSeconds, atSeconds);
  };
  put('bellhop-2026-01-02T03-04-05-678Z', 2_000, true);
  put('production.dump', 1_000);
  put('bellhop-2026-01-03T03-04-05-678Z.partial', 3_000, true);
  put('.hidden', 4_000);
  expect(await shown(folder)).toBe(2_000);
  put('sandbox.dump', 2_500);
  expect(await shown(folder)).toBe(2_500);
});

test('shows 0 if the folder cannot be read, because nobody knows of a backup then', async () => {
  expect(await shown(join(await temporaryFolder(), 'missing'))).toBe(0);
});
