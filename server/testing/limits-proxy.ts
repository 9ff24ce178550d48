import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RedisProxy {
  url: string;
  /**
   * Holds back what the current connections send, even after they are closed, until the returned
   * function is called. That resolves when everything was sent or the server hung up.
   */
  block(): () => Promise<void>;
}

/** A proxy in front of the Redis on `port` that can hold messages back. */
export async function openProxy(port: number): Promise<RedisProxy> {
  const pairs = new Set<{ from: Socket; to: Socket }>();
  const server = createServer({ allowHalfOpen: true }, (from) => {
    const to = connect(port, '127.0.0.1');
    pairs.add({ from, to });
    from.on('error', () => {});
    to.on('error', () => {});
    from.pipe(to);
    to.pipe(from);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const { from, to } of pairs) {
      from.destroy();
      to.destroy();
    }
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    block() {
      const blocked = [...pairs].map(({ from, to }) => {
        const held: Buffer[] = [];
        from.unpipe(to);
        from.on('data', (message) => held.push(message as Buffer)).resume();
        return { to, held };
      });
      return async () => {
        for (const { to, held } of blocked) {
          if (to.closed) continue;
          const closed = once(to, 'close');
          to.end(Buffer.concat(held));
          to.resume();
          await closed;
        }
      };
    },
  };
}
