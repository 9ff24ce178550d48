/** The reporter through which `npm test` learns what vitest counted. */
import type { Reporter, TestModule } from 'vitest/node';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export default class CountsReporter implements Reporter {
  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
  ): Promise<void> {
    const counts = countTests(modules);
    counts.failed += unhandledErrors.length;
    await new Promise((sent) => process.send?.(counts, sent) ?? sent(null));
  }
}

function countTests(modules: readonly TestModule[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const module of modules) {
    // If a file does not load or a hook fails, its tests do not run and do not count as failed.
    const groups = [module, ...module.children.allSuites()];
    counts.failed += groups.filter((group) => group.errors().length > 0).length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // Still pending at the end: its process died.
      counts[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return counts;
}
