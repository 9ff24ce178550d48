#!/usr/bin/env node
// Plain JavaScript that the oldest Node can read, so that it can say what is missing.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `Bellhop needs Node 24 or newer; this is ${process.versions.node}. Run it through npm ("npm start", "npx bellhop …"), which brings its own Node.`,
  );
  process.exit(2);
}
const { runCli } = await import('../src/cli/main.ts');
process.exitCode = await runCli(process.argv.slice(2));
