import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/support.ts';
import { findChromium } from './chromium.ts';
import { debianFolders, findPostgres } from './postgres.ts';
import { findRedis } from './redis.ts';

test('finds the newest PostgreSQL on Debian first', async () => {
  const root = await temporaryFolder();
  for (const version of ['9.6', '15', '17', '13']) {
    await mkdir(join(root, version, 'bin'), { recursive: true });
  }
  await putProgram(join(root, '15', 'bin', 'initdb'));
  await putProgram(join(root, '15', 'bin', 'postgres'));
  await putProgram(join(root, '13', 'bin', 'initdb'));
  await putProgram(join(root, '13', 'bin', 'postgres'));
  await putProgram(join(root, '17', 'bin', 'initdb'));
  expect(debianFolders(root)).toEqual(
    ['17', '15', '13', '9.6'].map((version) => join(root, version, 'bin')),
  );
  expect(findPostgres(debianFolders(root))).toBe(join(root, '15', 'bin'));
});

test('uses Valkey if there is no Redis', async () => {
  const folder = await temporaryFolder();
  await putProgram(join(folder, 'valkey-server'));
  expect(findRedis(['/nowhere', folder])).toBe(join(folder, 'valkey-server'));
  await putProgram(join(folder, 'redis-server'));
  expect(findRedis(['/nowhere', folder])).toBe(join(folder, 'redis-server'));
});

test('prefers the browser without windows, and uses Chrome if there is no Chromium', async () => {
  const folder = await temporaryFolder();
  await putProgram(join(folder, 'google-chrome'));
  expect(findChromium(['/nowhere', folder])).toBe(join(folder, 'google-chrome'));
  await putProgram(join(folder, 'chromium'));
  expect(findChromium(['/nowhere', folder])).toBe(join(folder, 'chromium'));
  await putProgram(join(folder, 'chromium-headless-shell'));
  expect(findChromium(['/nowhere', folder])).toBe(join(folder, 'chromium-headless-shell'));
});

test('finds nothing in empty folders, and ignores files that are not executable', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'redis-server'), '', { mode: 0o644 });
  await mkdir(join(folder, 'valkey-server'));
  expect(findRedis([folder])).toBeNull();
  expect(findChromium([folder])).toBeNull();
  expect(findPostgres([folder, ...debianFolders(join(folder, 'nowhere'))])).toBeNull();
});

async function putProgram(file: string): Promise<void> {
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o755);
}
