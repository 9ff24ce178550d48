#!/usr/bin/env node
// Plain JavaScript that even an old Node can read, so that it can say what is missing.

// Neither ends a server, not even while it starts. Later, "serve" tells a terminal that was closed from another SIGHUP.
const isServer = [undefined, 'serve'].includes(process.argv[2]);
for (const signal of ['SIGUSR2', ...(isServer ? ['SIGHUP'] : [])]) process.on(signal, () => {});

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `Bellhop needs Node 24 or newer; this is ${process.versions.node}. Run "npx -p node@26 bellhop", which brings one, or "npm start" in Bellhop's repository.`,
  );
  process.exit(2);
}
// It would open a debugger, from which every user of this machine could read the keys. "node --disable-sigusr1"
// refuses it from the first moment, this only from here on.
process.on('SIGUSR1', () => {});
await closeDebugger();
await findCompiledCode();
const { runCli } = await import('../src/cli/main.ts');
// Again, because another thread opens a debugger in its own time, and takes longer on a busy machine.
await closeDebugger();
setTimeout(closeDebugger, 5_000).unref();
await runCli(process.argv.slice(2));

// One that SIGUSR1 has asked for while Node was starting. Nobody asked for it on the command line, and the
// tools that open one for a developer choose a free port.
async function closeDebugger() {
  // A Node that was built without it has none, and no such module either.
  if (!process.features.inspector) return;
  const { default: inspector } = await import('node:inspector');
  // In a turn of the event loop, Node opens it a second time if it was closed before.
  await new Promise(setImmediate);
  const address = inspector.url();
  const flags = [...process.execArgv, process.env.NODE_OPTIONS].join(' ');
  if (address && new URL(address).port === '9229' && !flags.includes('--inspect'))
    inspector.close();
}

// Node caches the compiled code for this and every later start: half the time to the ready line, and
// 20 MB less in each thread that need not load the compiler. The cache is beside the code, where only
// those who may change the code can write. If nobody can, Bellhop runs without it.
async function findCompiledCode() {
  const { default: module } = await import('node:module');
  const folder = new URL('../../node_modules/.cache/bellhop', import.meta.url);
  const { directory } = module.enableCompileCache(decodeURIComponent(folder.pathname));
  // Threads look here.
  if (directory && !process.env.NODE_COMPILE_CACHE) process.env.NODE_COMPILE_CACHE = directory;
}
