/** A server that speaks Redis's protocol and answers as a test wants, also as no real Redis would. */

import { createServer } from 'node:net';
import { listening } from '../../test/support.ts';
import { FAIL, HEAR_HELD } from '../src/limiter/redis/failures.ts';
import { MERGE } from '../src/limiter/redis/merge-script.ts';
import { ReplyReader } from '../src/limiter/redis/protocol.ts';
import { ADMIT, script } from '../src/limiter/redis/scripts.ts';
import { HEAR } from '../src/limiter/redis/told-windows.ts';

/** What the limiter asks for. */
export type Asked =
  | 'INFO'
  | 'CLIENT'
  | 'AUTH'
  | 'SENTINEL'
  | 'HLEN'
  | 'HMGET'
  | 'HDEL'
  | 'ADMIT'
  | 'MERGE'
  | 'BEAT'
  | 'HEAR'
  | 'HEAR_HELD'
  | 'FAIL'
  | 'JOIN';

export interface FakeRedis {
  url: string;
  /** As they are on the wire. A function is called each time, and may answer later. */
  replies: Record<Asked, string | ((args: readonly string[]) => string | Promise<string>)>;
  /** How often it was asked. */
  asked: Map<Asked, number>;
}

/** Where a call about one window says how many checks it has. */
const CHECKS_AT = 11;

export const OK = '+OK\r\n';
export const NOTHING = '$-1\r\n';

/** It lets everyone in until a test says otherwise. */
export async function openFakeRedis(): Promise<FakeRedis> {
  const asked: FakeRedis['asked'] = new Map();
  const replies: FakeRedis['replies'] = {
    INFO: '$9\r\nrun_id:42\r\n',
    CLIENT: ':1\r\n',
    AUTH: OK,
    SENTINEL: NOTHING,
    HLEN: ':0\r\n',
    HMGET: '*3\r\n$-1\r\n$-1\r\n$-1\r\n',
    HDEL: ':1\r\n',
    ADMIT: (args) => admittedAll(Number(args[CHECKS_AT])),
    MERGE: '$1\r\ng\r\n',
    BEAT: '*0\r\n',
    HEAR: '*0\r\n',
    HEAR_HELD: '*0\r\n',
    FAIL: '*0\r\n',
    JOIN: '$1\r\ne\r\n',
  };
  const server = createServer((socket) => {
    const reader = new ReplyReader();
    let before: Promise<unknown> = Promise.resolve();
    socket.on('error', () => {});
    socket.on('data', (piece: Buffer) =>
      reader.read(piece, (command) => {
        const args = command as string[];
        const name = nameOf(args);
        asked.set(name, (asked.get(name) ?? 0) + 1);
        // In the order of the commands, as Redis does.
        before = before.then(async () => {
          const reply = replies[name];
          socket.write(typeof reply === 'string' ? reply : await reply(args));
        });
      }),
    );
  });
  const { port } = await listening(server);
  return { url: `redis://127.0.0.1:${port}`, replies, asked };
}

function admittedAll(checks: number): string {
  return `*${1 + 3 * checks}\r\n$1\r\ng\r\n${':1\r\n:9\r\n:1000\r\n'.repeat(checks)}`;
}

function nameOf([command = '', named = '', keys]: readonly string[]): Asked {
  if (command !== 'EVALSHA' && command !== 'EVAL') return command as Asked;
  const sha = command === 'EVAL' ? script(named).sha : named;
  if (sha === ADMIT.sha) return 'ADMIT';
  if (sha === MERGE.sha) return 'MERGE';
  if (sha === HEAR.sha) return 'HEAR';
  if (sha === HEAR_HELD.sha) return 'HEAR_HELD';
  if (sha === FAIL.sha) return 'FAIL';
  return keys === '1' ? 'BEAT' : 'JOIN';
}
