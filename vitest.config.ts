import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'server',
      'partner',
      'rules',
      'support-client',
      'console',
      'bench',
      'cluster',
      'torture',
      'examples',
      'test',
    ].map((root) => `${root}/**/*.test.ts`),
    environment: 'node',
    globalSetup: './test/provide/global-setup.ts',
    setupFiles: './test/provide/end-worker-with-vitest.ts',
    reporters: ['default'],
    // Processes, since tests start servers, change their environment and die of uncaught errors.
    pool: 'forks',
    // More than there are cores: tests wait for processes, timers and disks. More than four crowd PostgreSQL's
    // 200 connections.
    maxWorkers: 4,
    // No test file may count on another having run before it.
    sequence: { shuffle: { files: true, tests: false } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
