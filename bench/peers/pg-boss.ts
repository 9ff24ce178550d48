import { databaseUrl, deliver, type Event, required, serve } from './queue.ts';

interface Job {
  id: string;
  data: Event;
}

interface Boss {
  start(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): void;
  createQueue(name: string, options: object): Promise<unknown>;
  insert(name: string, jobs: { data: Event }[]): Promise<unknown>;
  work(name: string, options: object, handler: (jobs: Job[]) => Promise<unknown>): Promise<unknown>;
  getDb(): { executeSql(text: string): Promise<{ rows: { count: string }[] }> };
}

const { PgBoss }: { PgBoss: new (options: object) => Boss } = required('pg-boss');

const QUEUE = 'webhooks';

const boss = new PgBoss({ connectionString: databaseUrl, useListenNotify: true });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue(QUEUE, { notify: true, retryLimit: 22, retryBackoff: true });
await boss.work(
  QUEUE,
  // Batches of 20 and 200 were slower, fewer workers and a partition of its own too.
  {
    batchSize: 500,
    localConcurrency: 4,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
    // Otherwise one failed webhook would repeat its whole batch; that was not faster.
    perJobResults: true,
  },
  (jobs) => Promise.all(jobs.map(handle)),
);

async function handle({ id, data }: Job): Promise<object> {
  try {
    await deliver(data);
    return { id, status: 'completed' };
  } catch {
    return { id, status: 'failed' };
  }
}

serve({
  add(events) {
    const jobs = events.map((data) => ({ data }));
    return boss.insert(QUEUE, jobs);
  },
  async unfinished() {
    const unfinished = `select count(*) from pgboss.job where state < 'completed'`;
    return Number((await boss.getDb().executeSql(unfinished)).rows[0]?.count);
  },
});
