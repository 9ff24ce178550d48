/**
 * A partner that calls the overview at a steady pace, one call every few milliseconds, and reports how
 * long the calls took: `/run?seconds=…` answers with the sorted times in milliseconds.
 */
import { Agent, createServer, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from './listening.ts';

const [url, authorization] = process.argv.slice(2) as [string, string];
const EVERY_MS = 4;
const agent = new Agent({ keepAlive: true });

function call(): Promise<number> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization } }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`answered ${reply.statusCode}`));
      reply.resume();
      reply.once('end', () => resolve(performance.now() - startedMs));
    }).once('error', reject);
  });
}

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const endMs = performance.now() + Number(searchParams.get('seconds')) * 1_000;
  const times: number[] = [];
  while (performance.now() < endMs) {
    times.push(await call());
    await sleep(EVERY_MS);
  }
  response.end(JSON.stringify(times.sort((a, b) => a - b)));
});
listening(server);
