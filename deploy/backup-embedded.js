/**
 * Backs up an embedded Bellhop, running or stopped:  npx node deploy/backup-embedded.js DATA TARGET
 *
 * SQLite's `vacuum into` takes a consistent copy of a database, including what is still in the
 * write-ahead log, without blocking writers. The two files of an environment are copied one after the
 * other: neither refers to the other. The master key is left out, because anyone who has both can read
 * the API keys.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const ENVIRONMENTS = ['production', 'sandbox'];
const FILES = ['bellhop.db', 'admissions.db'];
/** Tokens and sessions; the second belongs to a process that serves the sandbox alone. */
const BACK_OFFICE_FILES = ['back-office.db', 'back-office.sandbox.db'];

const [data, target, ...rest] = process.argv.slice(2);
if (!data || !target || rest.length > 0) {
  refuse('Usage: npx node deploy/backup-embedded.js DATA_FOLDER TARGET_FOLDER');
}
const environments = ENVIRONMENTS.filter((name) => existsSync(join(data, name, 'bellhop.db')));
if (environments.length === 0) refuse(`There is no embedded database in ${data}.`);
if (existsSync(target)) refuse(`${target} exists already. Name a folder that does not exist.`);

// By default, everyone could read the files that SQLite creates.
process.umask(0o077);
try {
  for (const environment of environments) {
    mkdirSync(join(target, environment), { recursive: true });
    for (const file of FILES) copy(join(data, environment, file), join(target, environment, file));
  }
  for (const file of BACK_OFFICE_FILES) {
    if (existsSync(join(data, file))) copy(join(data, file), join(target, file));
  }
} catch (error) {
  // Half a backup is worse than none: it would look complete.
  rmSync(target, { recursive: true, force: true });
  refuse(`The backup failed (${error.message}). Its files were deleted; try again.`);
}
console.log(
  `Backed up ${environments.join(' and ')} to ${target}. Keep the master key in a different place.`,
);

function copy(from, to) {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    source.prepare('vacuum into ?').run(to);
  } finally {
    source.close();
  }
  const copied = new DatabaseSync(to, { readOnly: true });
  try {
    const { integrity_check: verdict } = copied.prepare('pragma integrity_check').get();
    if (verdict !== 'ok') throw new Error(`${to}: ${verdict}`);
  } finally {
    copied.close();
  }
}

function refuse(sentence) {
  console.error(sentence);
  process.exit(2);
}
