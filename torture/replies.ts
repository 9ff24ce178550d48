/**
 * How a receiver can react to a webhook, and what Bellhop must record.
 */
import type { ServerResponse } from 'node:http';
import type { Random } from './random.ts';

export type Reply = keyof typeof replies;

export interface Treatment {
  /** What Bellhop must record, unless it timed out first. */
  outcome: 'delivered' | 'failed';
  /** The receiver answers 200 or nothing, and then lets Bellhop time out. */
  timesOut?: true;
  statusCode: number | null;
  /** The exchange may end before Bellhop reads the status, which it then does not record. */
  unfinished?: true;
  /** Calls `ending` right before it sends the end of the exchange; Bellhop cannot know it earlier. */
  give(response: ServerResponse, random: Random, ending: () => void): void;
}

const HUGE_BYTES = 512 * 1_024;
const DRIP_MS = 90;

export const replies = {
  ok: answer('delivered', 200, '{"status":"ok"}'),
  created: answer('delivered', 201, ''),
  noContent: answer('delivered', 204, ''),
  /** Slow, so that it is often in flight when Bellhop is killed. */
  late: {
    outcome: 'delivered',
    statusCode: 200,
    give(response, random, ending) {
      setTimeout(
        () => {
          ending();
          response.end('{}');
        },
        random.between(100, 700),
      );
    },
  },
  /** Longer than Bellhop reads: it closes the connection, and the status counts. */
  huge: answer('delivered', 200, 'x'.repeat(HUGE_BYTES)),
  /** Declares a length shorter than the body: the reply is complete, the rest is noise. */
  longerThanSaid: {
    outcome: 'delivered',
    statusCode: 200,
    give({ socket }, _random, ending) {
      ending();
      socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{} and some more');
    },
  },
  error: answer('failed', 500, 'out of order'),
  busy: answer('failed', 503, ''),
  gone: answer('failed', 404, 'no such page'),
  redirect: answer('failed', 302, '', { location: '/elsewhere' }),
  hang: { outcome: 'failed', statusCode: null, timesOut: true, give() {} },
  reset: {
    outcome: 'failed',
    statusCode: null,
    give({ socket }, _random, ending) {
      ending();
      socket?.resetAndDestroy();
    },
  },
  resetInReply: {
    outcome: 'failed',
    statusCode: 200,
    unfinished: true,
    give(response, _random, ending) {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"status":', () => {
        ending();
        response.socket?.resetAndDestroy();
      });
    },
  },
  closeInReply: {
    outcome: 'failed',
    statusCode: 200,
    unfinished: true,
    give({ socket }, _random, ending) {
      ending();
      socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"status":');
    },
  },
  /** Declares a length longer than the body, and waits. */
  shorterThanSaid: {
    outcome: 'failed',
    statusCode: 200,
    unfinished: true,
    timesOut: true,
    give(response) {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"status":"ok"}');
    },
  },
  drip: {
    outcome: 'failed',
    statusCode: 200,
    unfinished: true,
    timesOut: true,
    give(response) {
      response.writeHead(200);
      const dripping = setInterval(() => response.write('x'), DRIP_MS);
      response.once('close', () => clearInterval(dripping));
    },
  },
  notHttp: {
    outcome: 'failed',
    statusCode: null,
    give({ socket }, _random, ending) {
      ending();
      socket?.end('220 mail.example ESMTP\r\n');
    },
  },
} satisfies Record<string, Treatment>;

function answer(
  outcome: Treatment['outcome'],
  statusCode: number,
  body: string,
  headers: Record<string, string> = {},
): Treatment {
  return {
    outcome,
    statusCode,
    give(response, _random, ending) {
      ending();
      response.writeHead(statusCode, headers);
      response.end(body);
    },
  };
}
