/** For the tests: a relay as a process of its own, and what it says. */
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { processEnv } from '../../kit/bellhop.ts';
import { startProcess } from '../../kit/process.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look at any line.
type Line = { level: string; msg: string } & Record<string, any>;

export interface RelayProcess {
  child: ChildProcess;
  readonly lines: Line[];
  /** Resolves to the first such line after the first `after` lines. */
  said(msg: string, after?: number): Promise<Line>;
  /** Ends it; resolves to its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function startRelay(settings: Record<string, string>): RelayProcess {
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const started = startProcess([process.execPath, program], {
    env: { ...processEnv, ...settings },
    stderr: 'inherit',
  });
  const end = async (signal: NodeJS.Signals) => (await started.end(signal)).code;
  onTestFinished(async () => void (await end('SIGKILL')));
  return {
    child: started.child,
    get lines() {
      return started.lines.map((line) => JSON.parse(line));
    },
    end,
    async said(msg, after) {
      const test = (line: string) => JSON.parse(line).msg === msg;
      return JSON.parse(await started.line({ test }, after));
    },
  };
}
