/** A booking core that reads the request and answers at once, with 1 KiB of JSON. */
import { createServer } from 'node:http';
import { listening } from './listening.ts';

const body = Buffer.from(JSON.stringify({ data: 'x'.repeat(1_000), status: 'ok' }));
const headers = ['Content-Type', 'application/json', 'Content-Length', String(body.length)];

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(200, headers);
    response.end(body);
  });
});
listening(server);
