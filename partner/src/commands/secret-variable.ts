/** A secret in a variable, or in a file that the variable with `_FILE` behind its name names. */
import { readFileSync, statSync } from 'node:fs';
import { UsageError } from './failures.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** More than any secret needs. */
const LARGEST_FILE_BYTES = 65_536;

/** Undefined if neither is set. An empty value counts as unset. */
export function secretVariable(env: Variables, name: string): string | undefined {
  const text = env[name]?.trim() || undefined;
  const variable = `${name}_FILE`;
  const file = env[variable]?.trim() || undefined;
  if (file === undefined) return text;
  if (text !== undefined) {
    throw new UsageError(`${variable} must not be set together with ${name}: remove one of them.`);
  }
  const wanted = `${variable} must name a file with the secret: ${file}`;
  let secret: string;
  try {
    const info = statSync(file);
    // Reading a pipe without a writer would wait forever.
    if (!info.isFile()) throw new UsageError(`${wanted} is not a file.`);
    if (info.size > LARGEST_FILE_BYTES) {
      throw new UsageError(`${wanted} is larger than ${LARGEST_FILE_BYTES} bytes.`);
    }
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${wanted} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (secret === '') throw new UsageError(`${wanted} is empty.`);
  return secret;
}
