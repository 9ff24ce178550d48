/** A program that runs as a child of this process: what it prints, and how it ends. It never outlives this process. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const ERRORS_KEPT = 4_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Started {
  readonly child: ChildProcess;
  /** What it printed, oldest line first. */
  readonly lines: string[];
  /** Resolves to the first line that matches, after the first `after` lines; rejects if it ends without one. */
  line(pattern: Pick<RegExp, 'test'>, after?: number): Promise<string>;
  /** Resolves when it has printed this many lines; rejects if it ends before. */
  printed(count: number): Promise<void>;
  readonly exit: Promise<Exit>;
  /** Resolves when it is gone: if it takes longer than `patienceMs`, it is killed. */
  end(signal?: NodeJS.Signals, patienceMs?: number): Promise<Exit>;
}

export interface ProcessOptions extends Pick<SpawnOptions, 'env' | 'cwd' | 'detached'> {
  /** Where its errors and its log go. By default, their end is part of the error if it does not start. */
  stderr?: number | 'inherit' | 'ignore' | 'pipe';
  /** A descriptor for what it prints, in place of `lines`. */
  stdout?: number;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function startProcess(
  [program, ...args]: readonly [string, ...string[]],
  { stdout, stderr = 'pipe', ...options }: ProcessOptions = {},
): Started {
  const child = spawn(program, args, { ...options, stdio: ['ignore', stdout ?? 'pipe', stderr] });
  running.add(child);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const look = () => {
    for (const check of [...waiting]) check();
  };
  let errors = '';
  let ended: Exit | undefined;
  const finish = (how: Exit) => {
    ended = how;
    look();
  };
  child.stderr?.on('data', (chunk) => {
    errors = (errors + chunk).slice(-ERRORS_KEPT);
  });
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      look();
    });
  }
  const exit = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
    // After its last line and its last error were read.
    child.once('close', (code, signal) => finish({ code, signal }));
    child.once('error', (error) => {
      errors += error.message;
      finish({ code: null, signal: null });
      resolve({ code: null, signal: null });
    });
  });

  const how = () => `${ended?.signal ?? ended?.code}: ${errors || lines.join(' / ')}`;

  function until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = find();
        if (found === undefined && !ended) return;
        waiting.delete(check);
        if (found !== undefined) resolve(found);
        else reject(new Error(`${program} ${args.join(' ')} ended with ${how()}`));
      };
      waiting.add(check);
      check();
    });
  }

  return {
    child,
    lines,
    exit,
    line: (pattern, after = 0) =>
      until(() => lines.slice(after).find((line) => pattern.test(line))),
    printed: (count) => until(() => (lines.length >= count ? count : undefined)).then(() => {}),
    async end(signal = 'SIGTERM', patienceMs) {
      child.kill(signal);
      const impatience =
        patienceMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), patienceMs);
      return exit.finally(() => clearTimeout(impatience));
    },
  };
}
