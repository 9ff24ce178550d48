/**
 * Pipelined requests, one after another. node:http parses all that one read has brought, up to 64 KiB,
 * hands every request in it out at once and goes on reading: thousands of calls under way for one
 * caller that reads no reply, and calls that overtake each other on their way to the upstream. Here a
 * request begins when the reply before it is out, nothing more is read while several wait, and a
 * caller that sends too many in one go is cut.
 */
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { isDiscarded } from './discarded.ts';

/** Requests of one connection that may wait behind the one under way. */
const MOST_WAITING = 1_000;
/** Of all connections of a listener: some 4 KB each. */
const MOST_WAITING_IN_ALL = 16_384;
/** What a connection may have waiting even then, and without being read more slowly. */
const SHARE = 16;

/** For all handlers of one listener, of which each is wrapped by what is returned. */
export function createTurns(
  cut: (socket: Socket) => void,
): (serve: RequestListener) => RequestListener {
  const waiting = new WeakMap<Socket, number>();
  let inAll = 0;

  function wait(socket: Socket, before: number): void {
    waiting.set(socket, before + 1);
    inAll++;
    if (before === SHARE) socket.pause();
  }

  function goOn(socket: Socket): void {
    const left = (waiting.get(socket) as number) - 1;
    waiting.set(socket, left);
    inAll--;
    // The last of them may need the rest of its body.
    if (left === 0) socket.resume();
  }

  function forget(socket: Socket): void {
    inAll -= waiting.get(socket) as number;
    waiting.delete(socket);
  }

  return (serve) => (request, response) => {
    // node:http loses what was pipelined behind it, so the caller must not count on an answer to that.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    // node:http gives a response its socket when the one before it is out; mostly that is at once.
    if (response.socket) {
      serve(request, response);
      return;
    }
    if (isDiscarded(request)) return;
    const { socket } = request;
    const before = waiting.get(socket);
    if ((before ?? 0) >= (inAll < MOST_WAITING_IN_ALL ? MOST_WAITING : SHARE)) {
      cut(socket);
      return;
    }
    if (before === undefined) socket.once('close', () => forget(socket));
    wait(socket, before ?? 0);
    response.once('socket', () => {
      goOn(socket);
      // Not at once: node:http is still in the middle of handing the socket over.
      process.nextTick(serve, request, response);
    });
  };
}
