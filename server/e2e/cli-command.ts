/** The real command line for whole-system tests: run to its end, or kept running. */
import { type ExecFileException, execFile } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { BELLHOP, processEnv } from '../../kit/bellhop.ts';
import { type Started, startProcess } from '../../kit/process.ts';
import { ADMIN_TOKEN, type Addresses } from '../testing/bellhop.ts';

type Variables = Record<string, string>;

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Settings with which commands find a Bellhop on free ports. */
export function pointingAt({ sandbox, backOffice }: Addresses): Variables {
  return {
    BELLHOP_SANDBOX_PORT: new URL(sandbox).port,
    BELLHOP_BACK_OFFICE_PORT: new URL(backOffice).port,
    BELLHOP_TOKEN: ADMIN_TOKEN,
    // Not the folder of the repository; tests that look into the data folder name one.
    BELLHOP_DATA_DIR: '/dev/null/none',
  };
}

/** `input` is its standard input. */
export function runCommand(
  args: string[],
  variables: Variables = {},
  input?: string,
): Promise<Outcome> {
  const env = { ...processEnv, ...variables };
  return new Promise((resolve) => {
    const settled = (error: ExecFileException | null, stdout: string, stderr: string) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    const child = execFile(process.execPath, [BELLHOP, ...args], { env }, settled);
    if (input !== undefined) child.stdin?.end(input);
  });
}

/** The same on a terminal of its own, as util-linux makes one. */
export function runOnTerminal(args: string[], variables: Variables = {}): Promise<string> {
  const command = [process.execPath, BELLHOP, ...args].map((part) => `'${part}'`).join(' ');
  const env = { ...processEnv, ...variables };
  return new Promise((resolve, reject) => {
    execFile('script', ['-qec', command, '/dev/null'], { env }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
}

/** One JSON object per line, as commands print with --json. */
// biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it expects.
export function jsonLines(stdout: string): any[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export interface RunningCommand extends Pick<Started, 'lines' | 'printed'> {
  /** Asks it to stop; resolves to its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function startCommand(args: string[], variables: Variables = {}): RunningCommand {
  const env = { ...processEnv, ...variables };
  const { lines, printed, end } = startProcess([process.execPath, BELLHOP, ...args], { env });
  onTestFinished(async () => void (await end('SIGKILL')));
  return { lines, printed, stop: async (signal) => (await end(signal)).code };
}
