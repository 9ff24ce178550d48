/** Answers every POST with an empty 202: what the callers of single events can do at best. */
import { createServer } from 'node:http';
import { listening } from './listening.ts';

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(202, { 'content-length': 0 });
    response.end();
  });
});
listening(server);
