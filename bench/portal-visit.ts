/** People at a partner who use the portal of a bench's Bellhop. */
import { request } from 'undici';
import { type Bellhop, support } from './bellhop.ts';

/** The cookie of a new session, which a link from support opened. */
export async function openPortal(bellhop: Bellhop, partnerId: string): Promise<string> {
  const link = await support<{ url: string }>(
    bellhop,
    'POST',
    `/partners/${partnerId}/portal-links`,
    { scopes: ['read', 'redeliver'] },
  );
  const reply = await request(link.url, { method: 'POST' });
  await reply.body.dump();
  const cookie = [reply.headers['set-cookie']].flat()[0]?.split(';', 1)[0];
  if (!cookie) throw new Error(`The link to the portal was answered with ${reply.statusCode}.`);
  return cookie;
}

export function portalUrl({ portal }: Bellhop, path: string): string {
  return `${portal}/portal/v1/sandbox${path}`;
}
