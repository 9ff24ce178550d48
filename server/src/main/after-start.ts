/** What a thread does after it has started, to save memory and to speed up the next start. */
import module from 'node:module';

/** After the first calls, which many callers make as soon as they see the ready line. */
const SAVE_CODE_AFTER_MS = 2_000;
const COLLECT_GARBAGE_AFTER_MS = 10_000;
/** A thread that was busier than this in the meantime is left alone for as long again … */
const QUIET_UTILIZATION = 0.05;
/** … and for good after so many times: whatever waits for it would wait for a pause that saves little by then. */
const MOST_LOOKS = 6;

/** Saved now, because a process that is killed would save nothing for the next one (see bin/bellhop.js). */
export function keepCompiledCode(): void {
  setTimeout(() => module.flushCompileCache(), SAVE_CODE_AFTER_MS).unref();
}

/**
 * Loading code leaves garbage behind, and a young generation that has grown for it. V8 gives that memory back only when
 * much more is allocated, so an idle thread would keep it: 35 MB in the services thread, 17 MB in that of the partner
 * API. So each collects everything once, in one pause of up to 100 ms, when it has had little to do for a while in its
 * first minute. A busy thread would only have its young generation grow back.
 */
export function collectStartupGarbage(): void {
  let before = performance.eventLoopUtilization();
  let looks = 0;
  const looking = setInterval(() => {
    looks++;
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const isQuiet = utilization <= QUIET_UTILIZATION;
    if (isQuiet || looks === MOST_LOOKS) clearInterval(looking);
    if (isQuiet) void collectGarbage();
  }, COLLECT_GARBAGE_AFTER_MS).unref();
}

async function collectGarbage(): Promise<void> {
  // Node may have been built without it.
  const inspector = await import('node:inspector/promises').catch(() => undefined);
  if (!inspector) return;
  const session = new inspector.Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
  returnFreeMemory();
}

/**
 * What was freed between what is still in use stays with glibc: 22 of the 38 MB that it had taken for a start. It is
 * returned on demand alone, in 6 ms, and Node has no other way to ask than calling C, which Node 26 can (`node:ffi`).
 */
export function returnFreeMemory(): void {
  const { emitWarning } = process;
  // FFI is experimental, which an operator can do nothing about.
  process.emitWarning = () => {};
  try {
    const signature = { arguments: ['u64'], return: 'i32' } as const;
    const { functions } = process
      .getBuiltinModule('node:ffi')
      .dlopen(null, { malloc_trim: signature });
    functions.malloc_trim(0n);
  } catch {
    // An older Node, or another C library.
  } finally {
    process.emitWarning = emitWarning;
  }
}
