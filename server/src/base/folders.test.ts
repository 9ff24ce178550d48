import { chmodSync, existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { ConfigError } from './config/config.ts';
import { makeFolder } from './folders.ts';

function refusal(folder: string): string {
  try {
    makeFolder(folder);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error(`${folder} was made`);
}

test('creates missing folders for the owner only, and accepts existing ones', async () => {
  const folder = await temporaryFolder();
  const wanted = join(folder, 'one', 'two', 'three');
  makeFolder(wanted);
  makeFolder(wanted);
  for (const path of [wanted, join(folder, 'one')]) {
    expect(statSync(path).mode & 0o777).toBe(0o700);
  }
});

// `mkdir` with `recursive` would never return here.
test.skipIf(!existsSync('/proc/self'))('refuses a path where no folder can be created', () => {
  expect(refusal('/proc/bellhop/data')).toMatch(
    /^BELLHOP_DATA_DIR must name a folder that can be written to: .*'\/proc\/bellhop'\.$/,
  );
});

test('refuses files and broken links', async () => {
  const folder = await temporaryFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('file'), '');
  symlinkSync(at('loop'), at('loop'));
  symlinkSync(at('missing'), at('dangling'));
  const sentence = /^BELLHOP_DATA_DIR must name a folder that can be written to: .+\.$/;
  for (const path of [
    '/dev/null/data',
    at('file'),
    at('file/below'),
    at('loop'),
    at('loop/below'),
    at('dangling'),
    at('nul\0'),
    at('x'.repeat(300)),
    at('long/'.repeat(100)),
    at('long/'.repeat(2_000)),
  ]) {
    expect(refusal(path)).toMatch(sentence);
  }
  expect(existsSync(at('long'))).toBe(false);
});

test.skipIf(process.getuid?.() === 0)('refuses a folder that it may not write to', async () => {
  const folder = await temporaryFolder();
  chmodSync(folder, 0o500);
  expect(refusal(folder)).toContain('EACCES');
  expect(refusal(join(folder, 'below'))).toContain('EACCES');
  chmodSync(folder, 0o700);
});
