/** A TCP proxy that delays replies, like a longer network. */
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Session } from './bench.ts';

/** Returns the URL with the proxy's address. Timers are coarse: a millisecond takes a little longer. */
export async function startDelay(session: Session, to: string, delayMs: number): Promise<string> {
  const { hostname: host, port } = new URL(to);
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host, port: Number(port), noDelay: true });
    near.pipe(far);
    // Timers of the same length fire in the order in which they were set.
    far.on('data', (reply) => setTimeout(() => near.write(reply), delayMs));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.once('close', () => other.destroy());
      one.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  session.undo(() => server.close());
  const delayed = new URL(to);
  delayed.port = String((server.address() as AddressInfo).port);
  return delayed.href;
}
