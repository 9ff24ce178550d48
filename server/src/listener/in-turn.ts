/**
 * Handles pipelined requests one at a time. node:http parses everything that a read returned, up to
 * 64 KiB, starts every request in it at once and keeps reading. So one caller that reads no replies could
 * have thousands of calls in flight, and its calls could overtake each other on the way to the upstream.
 * Here a request starts when the previous reply has been sent, reading pauses while several wait, and a
 * caller that sends too many ahead is disconnected. In a turn of the event loop, one request of each connection starts:
 * when a read's requests were all answered in the turn of that read, 200 connections kept the others waiting for up to 2.5 s.
 */
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { isDiscarded } from './discarded.ts';

/** Requests of one connection that may wait behind the current one. */
const MOST_WAITING = 1_000;
/** For all connections of a listener together; with what it leaves behind, each takes some 10 KB. */
const MOST_WAITING_IN_ALL = 4_096;
/** A connection may always have this many waiting; beyond that, reading pauses. */
const SHARE = 16;

/** One per listener; the returned function wraps each of its handlers. */
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
    // The last one may need the rest of its body.
    if (left === 0) socket.resume();
  }

  function forget(socket: Socket): void {
    inAll -= waiting.get(socket) as number;
    waiting.delete(socket);
  }

  return (serve) => (request, response) => {
    // node:http drops whatever was pipelined after it, so the caller must not expect an answer to that.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    // node:http assigns the socket to a response when the previous one is sent; usually that is at once.
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
      setImmediate(() => {
        if (!socket.destroyed) serve(request, response);
      });
    });
  };
}
