/** Somebody at a partner, with a browser: uses a link from support, keeps the cookie, and sends what pages send. */
import { expect } from 'vitest';
import type { SupportReply, TestBellhop } from './bellhop.ts';

export interface PortalBrowser {
  /** The value of a Cookie header. */
  cookie: string;
  get(path: string): Promise<SupportReply>;
  send(method: string, path: string, body?: unknown, headers?: object): Promise<SupportReply>;
}

type Environment = 'production' | 'sandbox';

/** A new link to the portal of a partner. */
export async function newLink(
  { support }: Pick<TestBellhop, 'support'>,
  environment: Environment,
  partnerId: string,
  body: object = { scopes: ['read', 'redeliver', 'receiver', 'keys', 'contacts'] },
): Promise<{ id: string; url: string }> {
  const path = `/support/v1/${environment}/partners/${partnerId}/portal-links`;
  const reply = await support('POST', path, body);
  expect(reply.status).toBe(201);
  return reply.body;
}

/** Presses the button on the page that a link leads to. */
export function press(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return fetch(url, { method: 'POST', redirect: 'manual', headers: { ...type, ...headers } });
}

export function cookieOf(reply: Pick<Response, 'headers'>): string {
  return (reply.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

/** Signed in by a link; with all scopes unless the link says otherwise. */
export async function signedInBrowser(
  bellhop: Pick<TestBellhop, 'support' | 'addresses'>,
  environment: Environment,
  partnerId: string,
  body?: object,
): Promise<PortalBrowser> {
  const { url } = await newLink(bellhop, environment, partnerId, body);
  return browserWith(bellhop, environment, cookieOf(await press(url)));
}

export function browserWith(
  { addresses }: Pick<TestBellhop, 'addresses'>,
  environment: Environment,
  cookie: string,
): PortalBrowser {
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: object = {},
  ): Promise<SupportReply> {
    const reply = await fetch(`${addresses.portal}/portal/v1/${environment}/${path}`, {
      method,
      headers: {
        cookie,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text && JSON.parse(text) };
  }
  return { cookie, get: (path) => send('GET', path), send };
}
