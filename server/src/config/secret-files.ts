/**
 * A secret can be in a file: `BELLHOP_X_FILE` names the file that holds BELLHOP_X. Environment variables show up in
 * crash reports and in the output of `docker inspect`; files of Docker, Kubernetes and systemd do not.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export type Variables = Record<string, string | undefined>;

/** More than any secret needs. */
export const LARGEST_SECRET_FILE_BYTES = 65_536;

export function fileVariable(variable: string): string {
  return `${variable}_FILE`;
}

/** An empty value counts as unset, so that `BELLHOP_X= npm start` falls back to the default. */
export function givenText(variables: Variables, variable: string): string | undefined {
  return variables[variable]?.trim() || undefined;
}

/**
 * The variables with the content of each file in place of its name, as if it had been given directly. A file that
 * cannot be used stays as it is, with a sentence in `problems`.
 */
export function withSecretFiles(
  variables: Variables,
  secrets: Iterable<string>,
  problems: string[],
): Variables {
  const resolved = { ...variables };
  for (const secret of secrets) {
    const variable = fileVariable(secret);
    const file = givenText(variables, variable);
    if (file === undefined) continue;
    if (givenText(variables, secret) !== undefined) {
      problems.push(`${variable} must not be set together with ${secret}: remove one of them.`);
      continue;
    }
    try {
      resolved[secret] = contentOf(file);
      delete resolved[variable];
    } catch (error) {
      problems.push(`${variable} must name a file with the secret: ${file} ${reasonOf(error)}.`);
    }
  }
  return resolved;
}

class Unusable extends Error {}

function contentOf(file: string): string {
  // Opening a pipe without a writer would wait forever.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Unusable('is not a file');
    const buffer = Buffer.alloc(LARGEST_SECRET_FILE_BYTES + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read) {
      read = readSync(descriptor, buffer, size, buffer.length - size, null);
    }
    if (size > LARGEST_SECRET_FILE_BYTES) {
      throw new Unusable(`is larger than ${LARGEST_SECRET_FILE_BYTES} bytes`);
    }
    const text = buffer.toString('utf8', 0, size).replace(/\r?\n$/, '');
    if (text.trim() === '') throw new Unusable('is empty');
    return text;
  } finally {
    closeSync(descriptor);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Unusable) return error.message;
  return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
}
