/**
 * Runs documentation: the shell blocks of a Markdown file, and a shell for them. A block that begins with
 * "```sh" promises that it works as it is. The word after it distinguishes several blocks.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const repository = join(import.meta.dirname, '..', '..');

export interface ShellBlock {
  /** The word after "```sh", or empty. */
  kind: string;
  code: string;
}

export function shellBlocks(file: string): ShellBlock[] {
  const text = readFileSync(join(repository, file), 'utf8');
  return [...text.matchAll(/^```sh(?: (\S+))?\n(.*?)^```$/gms)].map(([, kind = '', code = '']) => ({
    kind,
    code,
  }));
}

/** The one block of that kind. */
export function shellBlock(file: string, kind: string): string {
  const found = shellBlocks(file).filter((block) => block.kind === kind);
  if (found.length !== 1) throw new Error(`${file} has ${found.length} blocks "sh ${kind}".`);
  return (found[0] as ShellBlock).code;
}

/** As in npm scripts: our programs come first on the PATH. */
export function shellEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const path = [join(repository, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  return { PATH: path, HOME: process.env.HOME ?? '/', ...more };
}

/** Stops at the first command that fails; resolves to the output. */
export function runShell(
  code: string,
  { cwd = repository, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const script = `set -eu -o pipefail\n${code}`;
    execFile(
      'bash',
      ['-c', script],
      { cwd, env: shellEnvironment(env) },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${code}\n${stdout}\n${stderr}`, { cause: error }));
        else resolve(stdout);
      },
    );
  });
}
