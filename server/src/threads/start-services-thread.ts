import { Worker } from 'node:worker_threads';
import type { Services } from '../services.ts';
import { link } from './link.ts';
import type { MainSide } from './main-side.ts';
import type { ServicesSide, ServicesThreadData } from './services-thread.ts';

export async function startServicesThread(
  data: ServicesThreadData,
  mainSide: MainSide,
): Promise<Services> {
  const worker = new Worker(new URL('./services-thread.ts', import.meta.url), {
    workerData: data,
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const services = link<ServicesSide>(worker, mainSide);
  const stop = async () => {
    await services.stop();
    await worker.terminate();
    await ended;
  };
  try {
    return { addresses: await services.start(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
