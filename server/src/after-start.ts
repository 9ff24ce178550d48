/** What a thread does for memory and for the next start, once it has started itself. */
import module from 'node:module';

/** After the first calls, which many a caller makes the moment it sees the ready line. */
const SETTLE_MS = 2_000;

/** Kept now: a process that is killed would leave nothing to the next one (see bin/bellhop.js). */
export function keepCompiledCode(): void {
  setTimeout(() => module.flushCompileCache(), SETTLE_MS).unref();
}

/**
 * Loading code leaves garbage behind, and a young generation that has grown for it. V8 gives that
 * memory back only when much more is allocated, so a quiet thread would keep it: 35 MB in the services
 * thread. It collects all of it once, in one pause of some 100 ms, and V8 starts small again. The
 * partner API's thread does not: it would save 17 MB, but calls would wait for the pause, and for the
 * young generation to grow back.
 */
export function collectStartupGarbage(): void {
  setTimeout(() => void collectGarbage(), SETTLE_MS).unref();
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
