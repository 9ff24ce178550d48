/**
 * People who have the portal's first page open: each asks for it at the page's own interval, one after another.
 * `/start` and `/stop`; `/stop` answers with how many calls were made, and fails if one of them failed.
 */
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { POLL_MS } from '../../portal/src/api/poll.ts';
import { listening } from './listening.ts';

/** The cookie, and the address that its page asks. */
export interface Person {
  cookie: string;
  url: string;
}

const people = process.argv.slice(2).map((one) => JSON.parse(one) as Person);
const dispatcher = new Agent({ connections: 32 });
let timer: NodeJS.Timeout | undefined;
let calls = 0;
let failed = '';
let next = 0;
const underWay = new Set<Promise<void>>();

async function poll({ cookie, url }: Person): Promise<void> {
  const reply = await request(url, { dispatcher, headers: { cookie } });
  const text = await reply.body.text();
  calls++;
  if (reply.statusCode !== 200) failed ||= `${url}: ${reply.statusCode} ${text}`;
}

function pollNext(): void {
  const person = people[next++ % people.length] as Person;
  const polled = poll(person)
    .catch((error) => {
      failed ||= String(error);
    })
    .finally(() => underWay.delete(polled));
  underWay.add(polled);
}

const server = createServer(async (message, response) => {
  if (message.url === '/start') {
    calls = 0;
    timer = setInterval(pollNext, POLL_MS / people.length);
  } else {
    clearInterval(timer);
    await Promise.all(underWay);
  }
  response.statusCode = failed ? 500 : 200;
  response.end(failed || String(calls));
});
listening(server);
