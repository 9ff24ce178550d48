/**
 * The second thread. A storm of deliveries, a thousand events in one request or a slow report costs
 * the partner API nothing but its share of the processor: in one thread, the overview's 99th
 * percentile went from 4 ms to 71 ms while 4,000 webhooks a second went out.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { collectStartupGarbage, keepCompiledCode } from '../after-start.ts';
import { sayLast } from '../end-process.ts';
import { descriptorOutput } from '../logging/output.ts';
import { type Link, link } from './link.ts';
import type { MainSide } from './main-side.ts';
import { createServicesSide, type ServicesSide, type ServicesThreadData } from './services-side.ts';

const port = parentPort;
if (!port) throw new Error('services-thread.ts runs as a worker thread');
const data: ServicesThreadData = workerData;

const services = createServicesSide({
  data,
  main: () => main,
  onMainLost: (sentence) => void endProcess(sentence),
  closing: new AsyncDisposableStack(),
});

const main: Link<MainSide> = link<ServicesSide, MainSide>(port, {
  ...services,
  async start() {
    const addresses = await services.start();
    keepCompiledCode();
    collectStartupGarbage();
    return addresses;
  },
  async stop() {
    await services.stop();
    // Lets the thread end once the answer is out.
    port.unref();
  },
});

/** A thread's own process.exit ends the thread alone, and the main thread hears no other signal. */
async function endProcess(sentence: string): Promise<void> {
  await sayLast(`Bellhop ends and must be started again. ${sentence}`, descriptorOutput());
  process.kill(process.pid, 'SIGKILL');
}
