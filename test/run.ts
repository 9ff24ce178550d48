/**
 * `npm test`: lint, types, tests. Each runs even if an earlier one failed. The last line on stdout is the
 * sum of all. `npm run test:all` (`--all`) also runs the files that end in `.long.test.ts`. Other arguments go to
 * vitest, which then runs every file that they name, long ones too: `npm test -- server/src/limiter`. With
 * AUDIT_DEPENDENCIES=on, as in CI, it also asks the registry for known vulnerabilities.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { auditDependencies } from './audit.ts';
import type { Counts } from './counts.ts';
import { type PartValues, type Provision, parts, provideParts, WITHOUT } from './provide/parts.ts';

const root = join(import.meta.dirname, '..');
const programs = join(root, 'node_modules', '.bin');
const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
const all = process.argv.includes('--all');
const named = process.argv.slice(2).filter((argument) => argument !== '--all');
const running = new Set<ChildProcess>();

// The servers need no clean-up here: their keepers notice when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  });
}

// The servers start while lint and types are checked.
const provided = provideParts().catch((error: Error) => error);
const audited = process.env.AUDIT_DEPENDENCIES === 'on' ? auditDependencies(root) : undefined;

// Side by side: each waits for files, and all but the first are short.
const checks = [
  check('Lint: biome check .', 'biome', 'check', '.'),
  ...['.', 'console', 'portal', 'site'].map((project) => {
    // What did not change since the last run is not checked again: a tenth of the work.
    const cache = join(root, 'node_modules', '.cache', 'types', `${project}.json`);
    // One checker: with the usual four, each works out the same large types again, for three times the processor time.
    const args = ['-p', project, '--checkers', '1', '--incremental', '--tsBuildInfoFile', cache];
    return check(`Types: tsc -p ${project}`, 'tsc', ...args);
  }),
];
for (const { title, output, exitCode } of await Promise.all(checks)) {
  heading(title);
  process.stdout.write(output);
  add(exitCode === 0 ? { passed: 1 } : { failed: 1 });
}
if (audited) {
  heading('Dependencies: npm audit --omit=dev');
  const { outcome, lines } = await audited;
  for (const line of lines) console.log(line);
  add({ [outcome]: 1 });
}
heading(`Tests: vitest run${all || named.length > 0 ? '' : ', without the long ones'}`);
const provision = await provided;
if (provision instanceof Error) {
  console.log(provision.message);
  add({ failed: 1 });
} else {
  for (const line of provision.lines) console.log(line);
  add(await runTests(provision));
  await provision.end();
}

console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

async function check(title: string, program: string, ...args: string[]) {
  const child = start(program, args, {}, ['ignore', 'pipe', 'pipe']);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return { title, exitCode: await finish(child), output };
}

async function runTests({ values }: Provision): Promise<Partial<Counts>> {
  const reporters = ['--reporter=default', `--reporter=${join(root, 'test', 'counts.ts')}`];
  const files = named.length > 0 || all ? named : ['--exclude', '**/*.long.test.ts'];
  const vitest = start('vitest', ['run', ...reporters, ...files], settings(values));
  let counted: Counts = { passed: 0, failed: 0, skipped: 0 };
  vitest.on('message', (message: Counts) => {
    counted = message;
  });
  const exitCode = await finish(vitest);
  // It found no tests, or ended before it could count.
  if (exitCode !== 0 && counted.failed === 0) counted.failed = 1;
  return counted;
}

/** Tells vitest's setup to use the servers that are already running. */
function settings(values: PartValues): NodeJS.ProcessEnv {
  const names = Object.keys(values) as (keyof PartValues)[];
  return Object.fromEntries(names.map((name) => [parts[name].setting, values[name] ?? WITHOUT]));
}

function start(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
  stdio: StdioOptions = ['inherit', 'inherit', 'inherit', 'ipc'],
): ChildProcess {
  // The pinned Node comes first on the PATH, even if this file was not started by npm.
  const path = [programs, process.env.PATH].join(delimiter);
  const child = spawn(join(programs, program), args, {
    cwd: root,
    env: { ...process.env, PATH: path, ...env },
    stdio,
  });
  running.add(child);
  return child;
}

/** Resolves to the exit code; null if it could not be started or a signal ended it. */
async function finish(child: ChildProcess): Promise<number | null> {
  try {
    const [code] = await once(child, 'close');
    return code;
  } catch (error) {
    console.log(String(error));
    return null;
  } finally {
    running.delete(child);
  }
}

function heading(text: string): void {
  console.log(`\n== ${text}`);
}

function add(more: Partial<Counts>): void {
  counts.passed += more.passed ?? 0;
  counts.failed += more.failed ?? 0;
  counts.skipped += more.skipped ?? 0;
}
