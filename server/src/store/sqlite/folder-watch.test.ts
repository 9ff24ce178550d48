import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support.ts';
import { FolderWatch } from './folder-watch.ts';

async function watched() {
  const file = join(await temporaryFolder(), 'file');
  writeFileSync(file, '');
  const gone: Error[] = [];
  const watch = await FolderWatch.start([file], (error) => gone.push(error));
  onTestFinished(() => watch.stop());
  return { file, watch, gone };
}

test('a file that is deleted is reported once, and every check rejects', async () => {
  const { file, watch, gone } = await watched();
  await watch.check();
  rmSync(file);
  await expect(watch.check()).rejects.toMatchObject({ trouble: 'storage_gone' });
  await expect(watch.check()).rejects.toMatchObject({ trouble: 'storage_gone' });
  expect(gone).toHaveLength(1);
});

test('a check that is under way when the watch stops reports nothing', async () => {
  const { file, watch, gone } = await watched();
  rmSync(file);
  const checked = watch.check();
  watch.stop();
  await checked;
  expect(gone).toEqual([]);
});
