/**
 * The real parts that tests need. Each comes from the server that its setting names, or is started from
 * installed programs, or from programs installed with apt-get. If a part is still missing, its tests are
 * skipped on a developer's machine, and the run fails with CI=true.
 */

import { existsSync, statfsSync } from 'node:fs';
import { chromium } from '../../kit/chromium.ts';
import type { Part, StartedPart } from '../../kit/part.ts';
import { pgbouncer } from '../../kit/pgbouncer.ts';
import { postgres } from '../../kit/postgres.ts';
import { redis } from '../../kit/redis.ts';
import { canUseApt, installWithApt } from './apt.ts';

/** By the name under which tests inject them. */
export const parts = {
  postgresUrl: postgres,
  pgbouncerProgram: pgbouncer,
  redisUrl: redis,
  chromiumProgram: chromium,
} satisfies Record<string, Part>;

type PartName = keyof typeof parts;

/** Null if it is missing. */
export type PartValues = Record<PartName, string | null>;

declare module 'vitest' {
  interface ProvidedContext extends PartValues {
    /** The database that tests copy; null without a PostgreSQL. */
    postgresTemplate: string | null;
    /** A folder: see sqlite-template.ts. */
    sqliteTemplate: string;
  }
}

export interface Provision {
  values: PartValues;
  /** For people: what was started, what is missing. */
  lines: string[];
  end(): Promise<void>;
}

export const WITHOUT = 'none';

export interface Surroundings {
  parts: Partial<Record<PartName, Part>>;
  env: NodeJS.ProcessEnv;
  /** Null if installing is not possible. Resolves to the packages' problems. */
  install: ((packages: string[]) => Promise<Map<string, string>>) | null;
}

export async function provideParts({
  parts: wanted = parts,
  env = process.env,
  install = canUseApt() ? installWithApt : null,
}: Partial<Surroundings> = {}): Promise<Provision> {
  keepFilesInMemory(env);
  const toStart = Object.values(wanted).filter((part) => !env[part.setting]);
  const toInstall = toStart.filter((part) => !part.isInstalled()).map((part) => part.aptPackage);
  const problems = toInstall.length > 0 && install ? await install(toInstall) : new Map();

  const started = new Map<Part, StartedPart>();
  const end = async () => {
    await Promise.all([...started.values()].map((part) => part.end()));
  };
  const lines: string[] = [];
  const missing: string[] = [];

  async function provide(part: Part): Promise<string | null> {
    const given = env[part.setting];
    if (given === WITHOUT && !isCi(env)) return null;
    if (given && given !== WITHOUT) return given;
    if (given || !part.isInstalled()) {
      const problem = problems.get(part.aptPackage);
      const why = problem ? ` (apt-get: ${problem})` : '';
      missing.push(`${part.name} is missing${why}. ${part.howToGet}`);
      return null;
    }
    const start = await part.start();
    started.set(part, start);
    lines.push(start.line ?? `${part.name}: a throw-away server, ${start.value}`);
    return start.value;
  }

  const names = Object.keys(wanted) as PartName[];
  const outcomes = await Promise.allSettled(names.map((name) => provide(wanted[name] as Part)));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure || (missing.length > 0 && isCi(env))) {
    await end();
    throw failure?.reason ?? new Error(`With CI=true every test must run. ${missing.join(' ')}`);
  }
  const values = names.map((name, at) => {
    const outcome = outcomes[at];
    return [name, outcome?.status === 'fulfilled' ? outcome.value : null];
  });
  lines.push(...missing.map((sentence) => `Skipping tests: ${sentence}`));
  return { values: Object.fromEntries(values), lines, end };
}

const MEMORY = '/dev/shm';
/** Several times what the tests have in files at once. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * Temporary files go to memory, where there is enough of it: on a disk, each of the databases that tests create takes
 * the system 0.4 s of processor time. No test cuts the power of a machine, so none needs a disk.
 */
export function keepFilesInMemory(env: NodeJS.ProcessEnv): void {
  const isChosen = env.TMPDIR ?? env.TMP ?? env.TEMP;
  if (isChosen !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize >= ENOUGH_BYTES) env.TMPDIR = MEMORY;
}

export function isCi(env = process.env): boolean {
  return env.CI === 'true' || env.CI === '1';
}
