import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { isHost, isValidMessage, withoutOrigin } from './valid-message.ts';

describe('a Host header', () => {
  test.each([
    '',
    'example.com',
    'EXAMPLE.com.',
    'example.com:8080',
    'example.com:',
    ':8080',
    '127.0.0.1:0',
    '[::1]',
    '[2001:DB8::1]:8080',
    '[::ffff:192.0.2.1]:',
    '[v1.fe80:a]',
    'a_b.test',
    'm%C3%BCnchen.test',
    "!$&'()*+,;=~-.",
  ])('may be %j', (value) => {
    expect(isHost(value)).toBe(true);
    expect(isHost(value)).toBe(true);
  });

  test.each([
    'a b',
    'user@example.com',
    'user:password@example.com',
    'example.com/path',
    '/',
    'http://example.com',
    'example.com?x',
    'example.com#x',
    'example.com:80a',
    'example.com:8080:8080',
    'example.com:-1',
    '::1',
    '[::1',
    '::1]',
    '[]',
    '[::1]x',
    '[::1]:8080x',
    '[::1]]',
    '[fe80::1%eth0]',
    '[fe80::1%25eth0]',
    '[1:2:3:4:5:6:7:8:9]',
    '[example.com]',
    '[127.0.0.1]',
    '[v.a]',
    'a\tb',
    'a\\b',
    'a"b',
    '<a>',
    'a|b',
    'a^b',
    'a`b',
    '{a}',
    '%',
    'a%2',
    'a%zz',
    'm\u00fcnchen.test',
    'a\u0000',
    'a\n',
  ])('may not be %j, whatever came before', (value) => {
    expect(isHost('example.com')).toBe(true);
    expect(isHost(value)).toBe(false);
    expect(isHost(value)).toBe(false);
  });
});

describe('the target of a request', () => {
  const isValid = (url: string) =>
    isValidMessage({
      httpVersion: '1.1',
      headers: { host: 'x' },
      rawHeaders: ['Host', 'x'],
      url,
    } as unknown as IncomingMessage);

  test.each([
    ['/health/live', '/health/live'],
    ['//user@x/', '//user@x/'],
    ['*', '*'],
    ['http://x/health/live', '/health/live'],
    ['HTTPS://[::1]:8080/health/live?a', '/health/live?a'],
    ['http://x?/health/live', '?/health/live'],
    ['http://x', ''],
  ])('may be %j, which asks for %j', (url, path) => {
    expect(isValid(url)).toBe(true);
    expect(withoutOrigin(url)).toBe(path);
  });

  test.each([
    'http://user@x/health/live',
    'http://user:password@x/',
    'http:///health/live',
    'http://?/health/live',
    'http://:8080/health/live',
    'https://a b/',
  ])('may not be %j', (url) => {
    expect(isValid(url)).toBe(false);
  });
});
