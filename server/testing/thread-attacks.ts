/**
 * Loaded into a real Bellhop process before its own code (`node --import`), to break one of its threads on
 * demand: SIGUSR2 performs the ATTACK. Bellhop itself has no such back door. Heartbeats are faster than usual where a
 * test waits for them, and not so fast that they are late on a busy machine.
 */
import { syncBuiltinESMExports } from 'node:module';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';
import { BEAT_MS } from '../src/main/threads/heartbeat.ts';

export const FAST_BEAT_MS = BEAT_MS / 10;
const FAST_FOR = ['main loop', 'services loop', 'nothing'];

const attacks: Record<string, () => void> = {
  loop() {
    for (;;);
  },
  exit() {
    process.exit(0);
  },
  throw() {
    throw new Error('attacked');
  },
};

/** Such as `main loop` or `services exit`. */
const [thread, attack = ''] = process.env.ATTACK?.split(' ') ?? [];

if (thread !== undefined) {
  if (FAST_FOR.includes(process.env.ATTACK ?? '')) hastenBeats();
  const channel = new workerThreads.BroadcastChannel('attack');
  channel.unref();
  if (workerThreads.isMainThread) {
    loadIntoWorkers();
    process.on('SIGUSR2', () => {
      if (thread === 'main') attacks[attack]?.();
      else channel.postMessage('now');
    });
  } else if (workerThreads.workerData?.roles !== undefined) {
    channel.onmessage = () => attacks[attack]?.();
  }
}

function hastenBeats(): void {
  const { setInterval: real } = globalThis;
  const hastened = (run: () => void, ms: number) => real(run, ms === BEAT_MS ? FAST_BEAT_MS : ms);
  globalThis.setInterval = hastened as typeof setInterval;
}

/** Threads are started without the arguments of the process. */
function loadIntoWorkers(): void {
  const { Worker } = workerThreads;
  workerThreads.Worker = class extends Worker {
    constructor(file: URL, options: WorkerOptions) {
      super(file, { ...options, execArgv: ['--import', import.meta.url] });
    }
  };
  syncBuiltinESMExports();
}
