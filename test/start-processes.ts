/** A process that ends-with-its-run.test.ts ends: it starts others, as tests do, reports their ids, and waits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import './provide/end-worker-with-vitest.ts';

const STUBBORN = `
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  require('node:fs').closeSync(1);
  setInterval(() => {}, 1_000);`;
const server = [process.execPath, '-e', STUBBORN];
/** As npm does: the server is not our own child. */
const throughShell = ['sh', '-c', `"$0" "$@" & echo $!; wait`, ...server];

const pids: number[] = [];
for (const [command, detached] of [
  [server, false],
  [throughShell, false],
  [throughShell, true],
] as const) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { detached, stdio: ['ignore', 'pipe', 'inherit'] });
  pids.push(child.pid as number);
  if (command === throughShell) {
    const [line] = await once(child.stdout, 'data');
    pids.push(Number(String(line)));
  } else await text(child.stdout);
}
process.send?.(pids);
