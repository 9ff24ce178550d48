/**
 * What forwarding is compared with: node:http in front, undici behind, streaming both ways, and not
 * one check between them. Argument: the upstream's address.
 */
import { createServer, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { listening } from './listening.ts';

const HOP_BY_HOP = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

const pool = new Pool(process.argv[2] as string, { connections: 512, pipelining: 1 });

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  pool.dispatch(
    {
      path: request.url as string,
      method: request.method as Dispatcher.HttpMethod,
      headers: endToEnd(request.rawHeaders),
      body: request.method === 'POST' ? request : null,
    },
    new Reply(response),
  );
});

class Reply implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(): void {}

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#response.sendDate = false;
    this.#response.writeHead(status, endToEnd((controller.rawHeaders as Buffer[]).map(String)));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(): void {
    this.#response.destroy();
  }
}

function endToEnd(raw: readonly string[]): string[] {
  const passed: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    if (!HOP_BY_HOP.has(name.toLowerCase())) passed.push(name, raw[i + 1] as string);
  }
  return passed;
}

listening(server);
