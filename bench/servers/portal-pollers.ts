/**
 * People who have the portal's first page open: each asks for everything on it every few seconds, the people one after
 * another. `/start` and `/stop`; `/stop` answers with how many calls were made, and fails if one of them failed.
 */
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { listening } from './listening.ts';

const [everyMs, ...urlsOfEach] = process.argv.slice(2) as [string, ...string[]];
/** Of each person: the cookie and the addresses, as JSON. */
const people = urlsOfEach.map((one) => JSON.parse(one) as { cookie: string; urls: string[] });
const dispatcher = new Agent({ connections: 32 });
let timer: NodeJS.Timeout | undefined;
let calls = 0;
let failed = '';
let next = 0;
const underWay = new Set<Promise<void>>();

async function poll({ cookie, urls }: (typeof people)[number]): Promise<void> {
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
  const person = people[next++ % people.length];
  if (!person) return;
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
    timer = setInterval(pollNext, Number(everyMs) / people.length);
  } else {
    clearInterval(timer);
    await Promise.all(underWay);
  }
  response.statusCode = failed ? 500 : 200;
  response.end(failed || String(calls));
});
listening(server);
