import { Worker } from 'node:worker_threads';
import type { Config } from '../../base/config/config.ts';
import { BEAT_MS, type Heartbeat, LOST_AFTER_BEATS, startHeartbeat } from './heartbeat.ts';
import { type Link, link } from './link.ts';
import type { MainSide } from './main-side.ts';
import type { ServicesSide, ServicesThreadData } from './services-side.ts';

const NAME = 'The services thread (webhooks, back office and portal)';
/**
 * Each collection of young objects stops the thread for as long as it takes to copy those that are still in use. With
 * V8's own size, one beside a bulk retry of 100,000 deliveries was seen to take 200 ms, on a busy machine. With 8 MB an
 * event costs a sixth more, because collections come while many events are on their way.
 */
const MOST_YOUNG_MB = 24;

export interface ServicesThread {
  /** As in `Services`. */
  addresses: Record<string, string>;
  /** Resolves to a sentence if the thread ends, fails or hangs without having been stopped. */
  failed: Promise<string>;
  call: Link<ServicesSide>['call'];
  stop(): Promise<void>;
}

export type StartServices = (
  data: ServicesThreadData,
  mainSide: MainSide,
) => Promise<ServicesThread>;

/** Loads its code while this thread opens what both use, which nearly halves the time to the ready line. */
export function loadServicesThread(
  { roles }: Pick<Config, 'roles'>,
  closing: AsyncDisposableStack,
): StartServices {
  const worker = new Worker(new URL('./services-thread.ts', import.meta.url), {
    workerData: { roles },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: MOST_YOUNG_MB },
  });
  let isUsed = false;
  // For a start that fails before the thread is used.
  closing.defer(async () => void (isUsed || (await worker.terminate())));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const lost = new Promise<string>((resolve) => {
    worker.once('error', (error) => {
      resolve(`${NAME} failed: ${error instanceof Error ? error.stack : error}`);
    });
    worker.once('exit', (code) => resolve(`${NAME} ended by itself with code ${code}.`));
  });

  return async (data, mainSide) => {
    isUsed = true;
    const services = link<MainSide, ServicesSide>(worker, mainSide);
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

    void lost.then(fail);

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
      const addresses = await services.call('start', data);
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
  };
}
