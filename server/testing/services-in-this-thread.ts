/**
 * The services half in the thread of the partner API, over a real port. A thread of its own would load and compile the
 * back office again for each Bellhop of a test: 0.8 s of processor time instead of 0.1 s. Tests in which the threads
 * matter pass `loadServicesThread` to `startBellhop`, or start a process.
 */
import { MessageChannel } from 'node:worker_threads';
import { link } from '../src/main/threads/link.ts';
import type { MainSide } from '../src/main/threads/main-side.ts';
import { createServicesSide, type ServicesSide } from '../src/main/threads/services-side.ts';
import type { loadServicesThread } from '../src/main/threads/start-services-thread.ts';

export const servicesInThisThread: typeof loadServicesThread = () => async (data, mainSide) => {
  const { port1, port2 } = new MessageChannel();
  const failed = Promise.withResolvers<string>();
  const side = createServicesSide({
    main: () => main,
    onMainLost: failed.resolve,
    closing: new AsyncDisposableStack(),
  });
  const main = link<ServicesSide, MainSide>(port2, side);
  const services = link<MainSide, ServicesSide>(port1, mainSide);
  const stop = async () => {
    try {
      await services.call('stop');
    } finally {
      port1.close();
    }
  };
  try {
    return {
      addresses: await services.call('start', data),
      failed: failed.promise,
      call: services.call,
      stop,
    };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
};
