/**
 * Pipelined requests, one after another. node:http parses all that one read has brought, up to 64 KiB,
 * and hands every request in it out at once: two thousand calls under way for one caller that reads no
 * reply, and calls that overtake each other on their way to the upstream. Here a request begins when
 * the reply before it is out, and a caller that sends too far ahead is cut.
 */
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { isDiscarded } from './discarded.ts';

/** Requests of one connection that may wait behind the one under way. */
const MOST_WAITING = 16;

export function inTurn(serve: RequestListener, cut: (socket: Socket) => void): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // node:http gives a response its socket when the one before it is out; mostly that is at once.
    if (response.socket) {
      serve(request, response);
      return;
    }
    if (isDiscarded(request)) return;
    const { socket } = request;
    const ahead = (waiting.get(socket) ?? 0) + 1;
    if (ahead > MOST_WAITING) {
      cut(socket);
      return;
    }
    waiting.set(socket, ahead);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // Not at once: node:http is still in the middle of handing the socket over.
      process.nextTick(serve, request, response);
    });
  };
}
