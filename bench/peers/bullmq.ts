import { concurrency, databaseUrl, deliver, type Event, required, serve } from './queue.ts';

interface Jobs {
  addBulk(jobs: { name: string; data: Event; opts: object }[]): Promise<unknown>;
  getJobCountByTypes(...types: string[]): Promise<number>;
}

interface BullMq {
  Queue: new (name: string, options: object) => Jobs;
  Worker: new (
    name: string,
    handler: (job: { data: Event }) => Promise<void>,
    options: object,
  ) => {
    on(event: 'error', listener: (error: Error) => void): void;
  };
}

const { Queue, Worker }: BullMq = required('bullmq');

const { hostname: host, port } = new URL(databaseUrl);
const connection = { host, port: Number(port) };
const QUEUE = 'webhooks';

const queue = new Queue(QUEUE, { connection });
new Worker(QUEUE, ({ data }) => deliver(data), {
  connection,
  concurrency,
  removeOnComplete: { count: 0 },
}).on('error', (error) => console.error(error));

const opts = { attempts: 22, backoff: { type: 'exponential', delay: 1_000 } };
serve({
  add: (events) => queue.addBulk(events.map((data) => ({ name: 'webhook', data, opts }))),
  unfinished: () => queue.getJobCountByTypes('waiting', 'active', 'delayed'),
});
