/** The package.json files of what we publish: made from those of the workspaces, which stay private. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export type Manifest = Record<string, unknown>;

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

export function writeManifest(folder: string, manifest: Manifest): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** What every published package has beside its own fields. `folder` is its workspace. */
export function publishedFields(folder: string, env = process.env): Manifest {
  const address = repositoryAddress(env);
  return {
    ...(address && {
      repository: { type: 'git', url: `git+${address}.git`, directory: folder },
      homepage: `${address}#readme`,
      bugs: `${address}/issues`,
    }),
    publishConfig: { access: 'public', provenance: true },
  };
}

/**
 * Of the repository that the CI system builds. npm refuses provenance for a package that names another
 * one, so it is not written down here. Undefined on a developer's machine.
 */
function repositoryAddress(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, CI_PROJECT_URL } = env;
  if (GITHUB_SERVER_URL && GITHUB_REPOSITORY) return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  return CI_PROJECT_URL;
}
