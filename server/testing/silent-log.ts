import { onTestFinished } from 'vitest';
import { createLog, type ProcessLog } from '../src/base/log.ts';

/** Ended after the test: until then, a log waits for the exit of the process to write its last lines. */
export function silentLog(): ProcessLog {
  const log = createLog('silent');
  onTestFinished(() => log.end());
  return log;
}
