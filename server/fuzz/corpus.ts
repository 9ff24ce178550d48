/** Inputs that are kept: good examples to start from, and every input that a parser once failed on. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const CORPUS = join(import.meta.dirname, 'corpus');

export interface Sample {
  /** The name of its file. */
  name: string;
  input: Buffer;
}

export function readCorpus(target: string, folder = CORPUS): Sample[] {
  const path = join(folder, target);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .sort()
    .map((name) => ({ name, input: readFileSync(join(path, name)) }));
}

/** Returns the path of the file. */
export function saveFailing(target: string, input: Buffer, folder = CORPUS): string {
  const digest = createHash('sha256').update(input).digest('hex').slice(0, 12);
  const path = join(folder, target);
  mkdirSync(path, { recursive: true });
  const file = join(path, `failed-${digest}`);
  writeFileSync(file, input);
  return file;
}
