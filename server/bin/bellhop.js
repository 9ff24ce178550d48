#!/usr/bin/env node
// Plain JavaScript that even an old Node can read, so that it can say what is missing.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `Bellhop needs Node 24 or newer; this is ${process.versions.node}. Run "npx -p node@26 bellhop", which brings one, or "npm start" in Bellhop's repository.`,
  );
  process.exit(2);
}
await findCompiledCode();
const { runCli } = await import('../src/cli/main.ts');
await runCli(process.argv.slice(2));

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
