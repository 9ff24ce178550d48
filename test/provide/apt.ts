/** Installs a missing part in a bare container, where the tests run as root and have apt-get. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { folderWith, pathFolders } from '../../kit/find.ts';

/** Debian's packages run this before they start a service; 101 means "no". */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';

export function canUseApt(): boolean {
  return process.getuid?.() === 0 && folderWith(['apt-get'], pathFolders()) !== null;
}

/** One after another, because apt-get takes a lock. Resolves to what could not be installed, and why. */
export async function installWithApt(packages: string[]): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  const forbidsServices = !existsSync(SERVICE_POLICY);
  if (forbidsServices) await writeFile(SERVICE_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    // Without fresh lists the installation may still work, and says so itself if not.
    await aptGet('update').catch(() => {});
    for (const name of packages) {
      await aptGet('install', '-y', '--no-install-recommends', name).catch((error: Error) =>
        problems.set(name, lastLine(error.message)),
      );
    }
  } finally {
    if (forbidsServices) await rm(SERVICE_POLICY, { force: true });
  }
  return problems;
}

async function aptGet(...args: string[]): Promise<void> {
  await promisify(execFile)('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
