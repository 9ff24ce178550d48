/** A midoffice that accepts every webhook immediately. `/count` returns how many have arrived. */
import { createServer } from 'node:http';
import { listening } from './listening.ts';

let received = 0;

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  if (request.url === '/count') {
    response.end(String(received));
    return;
  }
  request.resume();
  request.once('end', () => {
    received++;
    response.end('ok');
  });
});
listening(server);
