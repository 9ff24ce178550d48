/** For the tests: a relay as a process of its own, and what it says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { Condition } from '../../server/testing/condition.ts';
import { processEnv } from '../../server/testing/process-env.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look at any line.
type Line = { level: string; msg: string } & Record<string, any>;

export interface RelayProcess {
  child: ChildProcess;
  lines: Line[];
  /** Resolves to the first such line after the first `after` lines. */
  said(msg: string, after?: number): Promise<Line>;
  /** Ends it; resolves to its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function startRelay(settings: Record<string, string>): RelayProcess {
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { ...processEnv, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const lines: Line[] = [];
  const came = new Condition();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    came.look();
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await gone)[0] as number | null;
  };
  onTestFinished(async () => void (await end('SIGKILL')));
  return {
    child,
    lines,
    end,
    async said(msg, after = 0) {
      const found = () => lines.slice(after).find((line) => line.msg === msg);
      await came.until(() => found() !== undefined);
      return found() as Line;
    },
  };
}
