import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/slow-first.ts';

export default defineConfig({
  test: {
    // Long ones too (*.long.test.ts). `npm test` leaves them out, unless it is told what to run.
    include: [
      'server',
      'partner',
      'rules',
      'support-client',
      'console',
      'portal',
      'bench',
      'kit',
      'cluster',
      'torture',
      'examples',
      'site',
      'test',
    ].map((root) => `${root}/**/*.test.ts`),
    environment: 'node',
    globalSetup: './test/provide/global-setup.ts',
    setupFiles: './test/provide/each-file.ts',
    reporters: ['default'],
    // Processes, since tests start servers, change their environment and die of uncaught errors.
    pool: 'forks',
    // Files run one after another in the same processes. A process per file would load and compile the server and its
    // schemas again for each of 350 files. If a file fails only beside others, `--isolate` tells.
    isolate: false,
    // Two more than there are cores, since tests wait for processes, timers and disks: with one more, a quarter of the
    // cores was idle. More than four crowd PostgreSQL's 200 connections.
    maxWorkers: Math.min(availableParallelism() + 2, 4),
    sequence: { sequencer: SlowFirst },
    // Vitest's second is too short beside other tests on two cores.
    expect: { poll: { timeout: 60_000 } },
    // Only what hangs may run into these: a test that takes 20 s alone was seen to take two minutes on a machine that is shared.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
