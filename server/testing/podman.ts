/** Podman for the test of the image: builds it, runs a container, and says what went wrong. */
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { folderWith, pathFolders } from '../../kit/find.ts';
import { repository } from './shell-in-markdown.ts';

const run = promisify(execFile);
const MAKE_BASE = join(repository, 'deploy', 'image', 'make-local-base.sh');

/** Why the image cannot be built here; null if it can. */
export function whyNoImage(env = process.env): string | null {
  if (env.BUILD_IMAGE !== 'on') return 'it takes minutes; set BUILD_IMAGE=on';
  if (folderWith(['podman'], pathFolders()) === null) return 'podman is missing';
  return null;
}

export async function podman(...args: string[]): Promise<string> {
  // Where both are installed: crun refuses to run with cgroups of both versions.
  const runc = folderWith(['runc'], pathFolders()) ? ['--runtime', 'runc'] : [];
  const { stdout } = await run('podman', [...runc, ...args], { maxBuffer: 16 * 1_048_576 });
  return stdout.trim();
}

/** From the registry if it can be reached, otherwise made from Debian's packages. */
export async function provideBaseImage(name: string): Promise<void> {
  const isHere = await succeeds(() => podman('image', 'exists', name));
  if (isHere || (await succeeds(() => podman('pull', '--quiet', name)))) return;
  await run(MAKE_BASE, [], { maxBuffer: 16 * 1_048_576 });
}

/** As deploy/README.md and compose.yaml run it: nothing is writable but /tmp and the volume. */
export function hardened(): string[] {
  // By default, Podman asks for more open files than a machine with a lower limit of its own can give.
  const files = execFileSync('sh', ['-c', 'ulimit -H -n'], { encoding: 'utf8' }).trim();
  return [
    '--read-only',
    '--tmpfs=/tmp',
    '--cap-drop=all',
    '--security-opt=no-new-privileges',
    '--stop-timeout=20',
    `--ulimit=nofile=${files}:${files}`,
    '--ulimit=nproc=4096:4096',
    // Podman leaves the timing to systemd, which containers and CI machines lack. The test asks by itself.
    '--health-interval=disable',
  ];
}

async function succeeds(attempt: () => Promise<unknown>): Promise<boolean> {
  return attempt().then(
    () => true,
    () => false,
  );
}
