import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Each of them does something else for each state that an attempt may lead to. */
const PLACES = [
  'delivery/delivery-stats.ts',
  'delivery/record.ts',
  'store/postgres/settle.ts',
  'store/queue/follow-up.ts',
  'store/sqlite/queue.ts',
];

test('a new state does not compile until each place has decided what it means', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-states-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(ROOT, 'server/src'), join(folder, 'src'), { recursive: true });
  await cp(join(ROOT, 'server/package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const states = join(folder, 'src/delivery/states.ts');
  const source = await readFile(states, 'utf8');
  await writeFile(states, source.replace("['exhausted',", "['exhausted', 'rejected',"));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      include: [],
      files: PLACES.map((place) => join('src', place)),
    }),
  );
  expect(await compile(folder)).toEqual(PLACES);
}, 120_000);

/** The files with errors. */
async function compile(folder: string): Promise<string[]> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const output = await new Promise<string>((resolve) => {
    const args = [tsc, '--project', folder, '--pretty', 'false'];
    execFile(process.execPath, args, { cwd: folder }, (_, stdout) => resolve(stdout));
  });
  return [...new Set(output.match(/(?<=^src\/)\S+(?=\(\d+,\d+\): error)/gm))].sort();
}
