import { describe, expect, test } from 'vitest';
import { cidrs } from '../base/config/values.ts';
import { Problem } from '../resources/problem.ts';
import { type BrowserRequest, createOwnPages } from './own-pages.ts';

const PROXY = '10.0.0.1';
const STRANGER = '192.0.2.1';
const ownPages = createOwnPages(cidrs('10.0.0.0/8'));

function from(remoteAddress: string, headers: Record<string, string>): BrowserRequest {
  return { headers, socket: { remoteAddress } };
}

function verdict(check: () => void): string {
  try {
    check();
    return 'fine';
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
}

const origin = (headers: Record<string, string>, peer = STRANGER) =>
  verdict(() => ownPages.checkOrigin(from(peer, headers)));

describe('TLS', () => {
  test.each([
    [PROXY, 'https', true],
    [PROXY, 'HTTPS, http', true],
    [`::ffff:${PROXY}`, 'https', true],
    [PROXY, 'http', false],
    [PROXY, 'http, https', false],
    [PROXY, '', false],
    [STRANGER, 'https', false],
  ])('%s saying %j: %j', (peer, proto, expected) => {
    expect(ownPages.isOverTls(from(peer, { 'x-forwarded-proto': proto }))).toBe(expected);
  });
});

describe('Origin', () => {
  test.each([
    ['http://desk.test', 'desk.test'],
    ['https://desk.test', 'desk.test'],
    ['https://desk.test', 'desk.test:443'],
    ['http://127.0.0.1:8090', '127.0.0.1:8090'],
    ['http://[::1]:8090', '[::1]:8090'],
    ['https://DESK.test', 'desk.TEST'],
  ])('%s on Host %s is our own', (from, host) => {
    expect(origin({ origin: from, host })).toBe('fine');
  });

  test.each([
    ['https://evil.test', 'desk.test'],
    ['https://sub.desk.test', 'desk.test'],
    ['https://desk.test.evil.test', 'desk.test'],
    ['http://desk.test:8080', 'desk.test'],
    ['http://desk.test', 'desk.test:443'],
    ['null', 'desk.test'],
    ['null', 'null'],
    ['', 'desk.test'],
    ['https://desk.test', ''],
    ['file://', ''],
    ['app://desk.test', 'desk.test'],
  ])('%s on Host %s is not', (from, host) => {
    expect(origin({ origin: from, host })).toBe('csrf');
  });

  test('a proxy that changes Host is believed if it is trusted', () => {
    const headers = {
      origin: 'https://desk.test',
      host: 'bellhop:8090',
      'x-forwarded-host': 'desk.test',
    };
    expect(origin(headers, PROXY)).toBe('fine');
    expect(origin(headers, STRANGER)).toBe('csrf');
    expect(origin({ ...headers, 'x-forwarded-host': 'evil.test' }, PROXY)).toBe('csrf');
  });
});

test.each([
  ['same-origin', 'fine'],
  ['same-site', 'csrf'],
  ['cross-site', 'csrf'],
  ['none', 'csrf'],
  ['', 'csrf'],
])('Sec-Fetch-Site: %s is %s', (site, expected) => {
  expect(origin({ 'sec-fetch-site': site, host: 'desk.test' })).toBe(expected);
});

test('programs and old browsers send neither, and need the header for a change', () => {
  expect(origin({ host: 'desk.test' })).toBe('fine');
  const change = (headers: Record<string, string>) =>
    verdict(() => ownPages.checkChange(from(STRANGER, { host: 'desk.test', ...headers })));
  expect(change({})).toBe('csrf');
  expect(change({ 'x-bellhop-console': '1' })).toBe('fine');
  expect(change({ 'x-bellhop-console': '1', origin: 'https://evil.test' })).toBe('csrf');
});
