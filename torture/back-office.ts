/** The calls that the torture makes, to whichever node is up. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type InputOf,
  type OperationId,
  type ReplyOf,
  requestOf,
} from '@bellhop/support-client/client';
import type { Nodes } from './nodes.ts';

/** Longer than Bellhop waits for a connection to its database before it gives up on a call. */
const TIMEOUT_MS = 5_000;
/** For calls that the torture itself depends on, on a busy machine. */
const LONG_TIMEOUT_MS = 60_000;

export interface Answer {
  status: number;
  body: unknown;
}

export class BackOffice {
  readonly #nodes: Nodes;
  readonly #token: string;
  #onCall: (() => void)[] = [];

  constructor(nodes: Nodes, token: string) {
    this.#nodes = nodes;
    this.#token = token;
  }

  /**
   * A call that must succeed, by the id of its operation in the OpenAPI document. Reads are
   * repeated for a while until they do, and so is any call that a busy database could not answer: the
   * torture does not mind a second partner or key.
   */
  async support<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<ReplyOf<Id>> {
    const { method, path, body } = requestOf(id, input);
    const giveUpAtMs = Date.now() + LONG_TIMEOUT_MS;
    for (;;) {
      const calling = this.call(method, path, body, LONG_TIMEOUT_MS);
      const isInTime = Date.now() < giveUpAtMs;
      const isRead = method === 'GET' && isInTime;
      const answer = isRead ? await calling.catch(() => undefined) : await calling;
      if (answer && answer.status < 300) return answer.body as ReplyOf<Id>;
      const mayRepeat = isRead || (answer?.status === 503 && isInTime);
      if (!mayRepeat || (answer && answer.status < 500)) {
        throw new Error(`${method} ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
      }
      await sleep(200);
    }
  }

  /** Rejects if no complete answer came; the call may or may not have been carried out. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    timeoutMs = TIMEOUT_MS,
  ): Promise<Answer> {
    const address = this.#nodes.anyAddress();
    if (!address) throw new Error('no node is up');
    const replying = fetch(address + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    for (const called of this.#onCall.splice(0)) called();
    const reply = await replying;
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Resolves when the next call has been sent, so that a fault can be timed to it. */
  nextCall(): Promise<void> {
    return new Promise((resolve) => {
      this.#onCall.push(resolve);
    });
  }
}
