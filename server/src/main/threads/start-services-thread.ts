import { Worker } from 'node:worker_threads';
import { BEAT_MS, type Heartbeat, LOST_AFTER_BEATS, startHeartbeat } from './heartbeat.ts';
import { type Link, link } from './link.ts';
import type { MainSide } from './main-side.ts';
import type { ServicesSide, ServicesThreadData } from './services-side.ts';

const NAME = 'The services thread (webhooks, back office and portal)';

export interface ServicesThread {
  /** As in `Services`. */
  addresses: Record<string, string>;
  /** Resolves to a sentence if the thread ends, fails or hangs without having been stopped. */
  failed: Promise<string>;
  call: Link<ServicesSide>['call'];
  stop(): Promise<void>;
}

export async function startServicesThread(
  data: ServicesThreadData,
  mainSide: MainSide,
): Promise<ServicesThread> {
  const worker = new Worker(new URL('./services-thread.ts', import.meta.url), {
    workerData: data,
    execArgv: [],
  });
  const services = link<MainSide, ServicesSide>(worker, mainSide);
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const failed = Promise.withResolvers<string>();
  let isStopping = false;
  let isGone = false;
  let heartbeat: Heartbeat | undefined;

  function fail(sentence: string): void {
    heartbeat?.stop();
    // During a stop, this is reported because the call of stop() rejects with it.
    services.close(new Error(sentence));
    if (isStopping) return;
    isGone = true;
    failed.resolve(sentence);
  }

  worker.once('error', (error) => {
    fail(`${NAME} failed: ${error instanceof Error ? error.stack : error}`);
  });
  worker.once('exit', (code) => fail(`${NAME} ended by itself with code ${code}.`));

  async function stop(): Promise<void> {
    isStopping = true;
    heartbeat?.stop();
    if (isGone) return;
    try {
      await services.call('stop');
    } finally {
      await worker.terminate();
      await ended;
    }
  }

  try {
    const addresses = await services.call('start');
    heartbeat = startHeartbeat(
      () => services.call('beat'),
      () => fail(`${NAME} has not answered for ${(LOST_AFTER_BEATS * BEAT_MS) / 1_000} s.`),
    );
    return { addresses, failed: failed.promise, call: services.call, stop };
  } catch (error) {
    // The reason why it did not start matters more than what could not be closed.
    await stop().catch(() => {});
    throw error;
  }
}
