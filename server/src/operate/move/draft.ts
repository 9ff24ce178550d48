/**
 * The folder that `bellhop move` fills has a name of its own until everything is in it. From the first moment of
 * the move on, either that folder exists or the published one has the mark of the move: a server refuses both.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PreconditionFailed } from '../../base/config/config.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { hasDatabase } from '../../store/sqlite/known-identity.ts';

/** Follows the final name of a folder or file. */
export const DRAFT = '.moving';

/**
 * For the start of a process: it would create the environment empty, and the move could not be repeated. And for a
 * backup, from which that environment would be missing.
 */
export function refuseHalfMoved(dataDir: string, name: EnvironmentName): void {
  const folder = join(dataDir, name);
  // A database that is there has marks of its own.
  if (hasDatabase(folder) || !existsSync(folder + DRAFT)) return;
  throw new PreconditionFailed(
    `"bellhop move" has not completed ${folder}; wait for it, or, if it was interrupted, run the same move again. To give the move up, delete ${folder}${DRAFT}.`,
    'busy',
  );
}
