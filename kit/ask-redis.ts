import { createClient } from '@redis/client';

/** Sends one command to the Redis or the Sentinel at this address. */
export async function askRedis({ url }: { url: string }, ...command: string[]): Promise<unknown> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}
