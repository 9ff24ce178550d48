/** A browser as the server sees it: it keeps the session cookie and sends it with each call. */
import { ADMIN_TOKEN, type SupportReply } from './bellhop.ts';

export interface Browser {
  /** The last `Set-Cookie`. */
  setCookie: string | null;
  signIn(token?: string, headers?: Record<string, string>): Promise<SupportReply>;
  /** A call as the console makes it. `headers` override its headers; null removes one. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | null>,
  ): Promise<SupportReply>;
}

export function openBrowser(backOffice: () => string): Browser {
  let cookie: string | undefined;

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | null> = {},
  ): Promise<SupportReply> {
    const sent: Record<string, string | null | undefined> = {
      cookie,
      'x-bellhop-console': '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const given = Object.entries(sent).filter((entry): entry is [string, string] => !!entry[1]);
    const reply = await fetch(backOffice() + path, {
      method,
      headers: given,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const setCookie = reply.headers.get('set-cookie');
    if (setCookie !== null) {
      browser.setCookie = setCookie;
      const [pair = ''] = setCookie.split(';');
      cookie = /Max-Age=0/.test(setCookie) ? undefined : pair;
    }
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text && JSON.parse(text) };
  }

  const browser: Browser = {
    setCookie: null,
    signIn: (token = ADMIN_TOKEN, headers = {}) =>
      call('POST', '/console/session', { token }, headers),
    call,
  };
  return browser;
}
