/**
 * What is the same for every job queue: it takes events in as Bellhop does, over HTTP in batches, and tells what it has
 * delivered in Bellhop's metric, so that the same code posts to both and waits for both. An event is a job; the job signs
 * and POSTs. Arguments: the folder with the packages, the receiver, how many at once, and the queue's database.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { json } from 'node:stream/consumers';
import { listening } from '../servers/listening.ts';
import { webhookSender } from '../servers/webhook-sender.ts';

export interface Event {
  event_id: string;
  partner_order_id: string;
}

export interface Queue {
  /** Resolves when they are stored. */
  add(events: Event[]): Promise<unknown>;
  /** The jobs whose end is not stored. */
  unfinished(): Promise<number>;
}

const [folder = '', receiver = '', atOnce = '', database = ''] = process.argv.slice(2);

/** Of a package in the folder of the peers. */
export const required = createRequire(`${folder}/`);
export const databaseUrl = database;
export const concurrency = Number(atOnce);

const post = webhookSender(new URL(receiver), concurrency);
let accepted = 0;
let sent = 0;

export async function deliver({ event_id, partner_order_id }: Event): Promise<void> {
  await post(event_id, partner_order_id);
  sent++;
}

export function serve(queue: Queue): void {
  // To ask for the unfinished jobs costs the database something, so it is asked only when there may be none.
  const delivered = async () => (sent < accepted ? sent : accepted - (await queue.unfinished()));
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const labels = '{environment="sandbox",state="delivered"}';
      response.end(`peer_settled_total${labels} ${await delivered()}\n`);
      return;
    }
    const { events } = (await json(request)) as { events: Event[] };
    await queue.add(events);
    accepted += events.length;
    response.writeHead(202).end();
  });
  listening(server);
}
