import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';

const opened: (() => void)[] = [];

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

export interface Road {
  url: string;
  /**
   * What the connections of now send stays on the road, even after they are closed, until the
   * returned function lets it arrive; it resolves when all of it was sent or the server hung up.
   */
  block(): () => Promise<void>;
}

/** A road to the Redis on `port`, on which messages can be held up. */
export async function openRoad(port: number): Promise<Road> {
  const travellers = new Set<{ from: Socket; to: Socket }>();
  const server = createServer({ allowHalfOpen: true }, (from) => {
    const to = connect(port, '127.0.0.1');
    travellers.add({ from, to });
    from.on('error', () => {});
    to.on('error', () => {});
    from.pipe(to);
    to.pipe(from);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.close();
    for (const { from, to } of travellers) {
      from.destroy();
      to.destroy();
    }
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    block() {
      const held = [...travellers].map(({ from, to }) => {
        const onTheRoad: Buffer[] = [];
        from.unpipe(to);
        from.on('data', (message) => onTheRoad.push(message as Buffer)).resume();
        return { to, onTheRoad };
      });
      return async () => {
        for (const { to, onTheRoad } of held) {
          if (to.closed) continue;
          const closed = once(to, 'close');
          to.end(Buffer.concat(onTheRoad));
          to.resume();
          await closed;
        }
      };
    },
  };
}
