/**
 * Loading code leaves garbage behind, and a young generation that has grown for it. V8 gives that
 * memory back only when much more is allocated, so a quiet process would keep it: 50 MB in both threads.
 * Once a thread has started, it collects all of it, in one pause, and V8 starts small again.
 */
import module from 'node:module';

/** After the first calls, which many a caller makes the moment it sees the ready line. */
const SETTLE_MS = 2_000;

export function settleAfterStart(): void {
  setTimeout(() => {
    // At the latest here: a process that is killed would leave nothing to the next one.
    module.flushCompileCache();
    void collectGarbage();
  }, SETTLE_MS).unref();
}

async function collectGarbage(): Promise<void> {
  // Node may have been built without it.
  const inspector = await import('node:inspector/promises').catch(() => undefined);
  if (!inspector) return;
  const session = new inspector.Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
