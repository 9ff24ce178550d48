/** A midoffice that accepts connections and never answers. */
import { createServer } from 'node:http';
import { listening } from './listening.ts';

const server = createServer((request) => request.resume());
listening(server);
