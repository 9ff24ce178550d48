/**
 * A secret can be in a file: `BELLHOP_X_FILE` names the file that holds BELLHOP_X. Environment variables show up in
 * crash reports and in the output of `docker inspect`; files of Docker, Kubernetes and systemd do not. So can a setting
 * that SIGHUP reloads, because the environment of a running process cannot change.
 */
import { readSmallFile, whyUnusable } from './small-file.ts';

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
      resolved[secret] = secretIn(file);
      delete resolved[variable];
    } catch (error) {
      problems.push(`${variable} must name a file with the value: ${whyUnusable(file, error)}.`);
    }
  }
  return resolved;
}

function secretIn(file: string): string {
  return readSmallFile(file, LARGEST_SECRET_FILE_BYTES).replace(/\r?\n$/, '');
}
