/**
 * People who have the portal's first page open: each asks for what is on it at the page's own intervals, the people one
 * after another. `/start` and `/stop`; `/stop` answers with how many calls were made, and fails if one of them failed.
 */
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { OFTEN_MS, RARELY_MS } from '../../portal/src/api/poll.ts';
import { listening } from './listening.ts';

/** The cookie, and the addresses that its page asks. */
export interface Person {
  cookie: string;
  often: string[];
  rarely: string[];
}

const people = process.argv.slice(2).map((one) => JSON.parse(one) as Person);
/** Of so many turns of a person, one asks for everything. */
const TURNS = RARELY_MS / OFTEN_MS;
const dispatcher = new Agent({ connections: 32 });
let timer: NodeJS.Timeout | undefined;
let calls = 0;
let failed = '';
let next = 0;
const underWay = new Set<Promise<void>>();

async function poll({ cookie, often, rarely }: Person, turn: number): Promise<void> {
  const urls = turn % TURNS === 0 ? [...often, ...rarely] : often;
  await Promise.all(
    urls.map(async (url) => {
      const reply = await request(url, { dispatcher, headers: { cookie } });
      const text = await reply.body.text();
      calls++;
      if (reply.statusCode !== 200) failed ||= `${url}: ${reply.statusCode} ${text}`;
    }),
  );
}

function pollNext(): void {
  const index = next % people.length;
  // At any moment, each sixth of the people is at another turn.
  const turn = Math.floor(next / people.length) + index;
  next++;
  const polled = poll(people[index] as Person, turn)
    .catch((error) => {
      failed ||= String(error);
    })
    .finally(() => underWay.delete(polled));
  underWay.add(polled);
}

const server = createServer(async (message, response) => {
  if (message.url === '/start') {
    calls = 0;
    timer = setInterval(pollNext, OFTEN_MS / people.length);
  } else {
    clearInterval(timer);
    await Promise.all(underWay);
  }
  response.statusCode = failed ? 500 : 200;
  response.end(failed || String(calls));
});
listening(server);
