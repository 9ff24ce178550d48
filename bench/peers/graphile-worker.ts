import { query } from '../../kit/postgres.ts';
import { concurrency, databaseUrl, deliver, type Event, required, serve } from './queue.ts';

interface GraphileWorker {
  Logger: new (factory: () => () => void) => object;
  run(options: object): Promise<unknown>;
  makeWorkerUtils(options: object): Promise<{
    addJobs(jobs: { identifier: string; payload: Event; maxAttempts: number }[]): Promise<unknown>;
  }>;
}

const { Logger, makeWorkerUtils, run }: GraphileWorker = required('graphile-worker');

const preset = {
  worker: {
    connectionString: databaseUrl,
    concurrentJobs: concurrency,
    // As its page about performance recommends. A local queue of 500 or 1,000 jobs was not faster.
    localQueue: { size: 200 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    // It would write a line for each job.
    logger: new Logger(() => () => {}),
  },
};
await run({ preset, taskList: { webhook: deliver } });
const utils = await makeWorkerUtils({ preset });

serve({
  add(events) {
    const job = { identifier: 'webhook', maxAttempts: 22 };
    return utils.addJobs(events.map((payload) => ({ ...job, payload })));
  },
  async unfinished() {
    const [{ count }] = await query(databaseUrl, 'select count(*) from graphile_worker.jobs');
    return Number(count);
  },
});
