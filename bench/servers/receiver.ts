/** A midoffice that accepts every webhook immediately. */
import { createServer } from 'node:http';
import { listening } from './listening.ts';

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  request.resume();
  request.once('end', () => response.end('ok'));
});
listening(server);
