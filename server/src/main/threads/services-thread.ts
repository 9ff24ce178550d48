/**
 * The second thread. A storm of deliveries, a thousand events in one request or a slow report takes only
 * CPU time from the partner API. With a single thread, the overview's 99th percentile went from 4 ms to
 * 71 ms while 4,000 webhooks a second were sent.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../../base/config/config.ts';
import { descriptorOutput } from '../../base/logging/output.ts';
import { collectStartupGarbage, keepCompiledCode } from '../after-start.ts';
import { sayLast } from '../end-process.ts';
import { loadApps } from '../services.ts';
import { type Link, link } from './link.ts';
import type { MainSide } from './main-side.ts';
import { createServicesSide, type ServicesSide } from './services-side.ts';

const port = parentPort;
if (!port) throw new Error('services-thread.ts runs as a worker thread');
const { roles }: Pick<Config, 'roles'> = workerData;
// This takes most of the time to the ready line. Meanwhile, the main thread opens the data.
await loadApps(roles);

const services = createServicesSide({
  main: () => main,
  onMainLost: (sentence) => void endProcess(sentence),
  closing: new AsyncDisposableStack(),
});

const main: Link<MainSide> = link<ServicesSide, MainSide>(port, {
  ...services,
  async start(data) {
    const addresses = await services.start(data);
    keepCompiledCode();
    collectStartupGarbage();
    return addresses;
  },
  async stop() {
    await services.stop();
    // Lets the thread end after the answer is sent.
    port.unref();
  },
});

/** In a thread, process.exit ends only the thread, and a main thread that hangs handles no other signal. */
async function endProcess(sentence: string): Promise<void> {
  await sayLast(`Bellhop ends and must be started again. ${sentence}`, descriptorOutput());
  process.kill(process.pid, 'SIGKILL');
}
