/** What people would use instead of Bellhop, and how it gets here: it is no dependency of ours. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Session, Skipped } from '../bench.ts';

/** What docs/scale/peers.md and the README say holds for these versions. */
export const VERSIONS = {
  'pg-boss': '12.35.0',
  'graphile-worker': '0.18.0',
  bullmq: '6.7.0',
  ioredis: '6.0.0',
  fastify: '5.12.8',
  '@fastify/basic-auth': '6.3.0',
  '@fastify/rate-limit': '11.2.0',
};

export type Peer = keyof typeof VERSIONS;

const OPTIONS = ['--no-audit', '--no-fund', '--ignore-scripts'];
/** A machine without a registry need not wait for minutes. */
const RETRIES = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
const TIMEOUT_MS = 180_000;

export function named(peer: Peer): string {
  return `${peer} ${VERSIONS[peer]}`;
}

/** Into a folder of its own, with the registry that npm is configured for. */
export async function installPeers(session: Session): Promise<string> {
  const folder = await session.folder();
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  session.progress(`installing ${packages.join(', ')}`);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  try {
    await promisify(execFile)(
      'npm',
      ['install', '--prefix', folder, ...OPTIONS, ...RETRIES, ...packages],
      {
        cwd: folder,
        timeout: TIMEOUT_MS,
      },
    );
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const [reason = message] =
      stderr?.match(/^npm error .*(Error:|notarget|404|network).*$/m) ?? [];
    throw new Skipped(`npm could not install the peers: ${reason}`);
  }
  return folder;
}
