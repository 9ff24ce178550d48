/**
 * How a receiver can treat a webhook, once it has read it, and what Bellhop has to make of that.
 */
import type { ServerResponse } from 'node:http';
import type { Random } from './random.ts';

export type Reply = keyof typeof replies;

export interface Treatment {
  /** What Bellhop must record, unless its time ran out first. */
  outcome: 'delivered' | 'failed';
  /** The receiver says 200 or nothing, and lets the time run out. */
  timesOut?: true;
  statusCode: number | null;
  /** `ending` is called right before what ends the exchange is sent: Bellhop cannot know earlier. */
  give(response: ServerResponse, random: Random, ending: () => void): void;
}

const HUGE_BYTES = 512 * 1_024;
const DRIP_MS = 90;

export const replies = {
  ok: answer('delivered', 200, '{"status":"ok"}'),
  created: answer('delivered', 201, ''),
  noContent: answer('delivered', 204, ''),
  /** Mostly under way when Bellhop is killed. */
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
  /** More than Bellhop reads: it cuts the connection, and the status counts. */
  huge: answer('delivered', 200, 'x'.repeat(HUGE_BYTES)),
  /** Says that it is shorter than it is: the reply is complete, the rest is noise. */
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
    statusCode: null,
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
    statusCode: null,
    give({ socket }, _random, ending) {
      ending();
      socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"status":');
    },
  },
  /** Says that it is longer than it is, and waits. */
  shorterThanSaid: {
    outcome: 'failed',
    statusCode: null,
    timesOut: true,
    give(response) {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"status":"ok"}');
    },
  },
  drip: {
    outcome: 'failed',
    statusCode: null,
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
