import { expect, test } from 'vitest';
import { isLoopback } from './addresses.ts';

test.each([
  '127.0.0.1',
  '127.8.9.10',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  'localhost',
  'LOCALHOST',
])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  '0.0.0.0',
  '::',
  '128.0.0.1',
  '10.0.0.1',
  '::2',
  '127.1',
  'localhost.example.com',
  'bellhop.localdomain',
  '',
])('%j is not, or may not be', (host) => {
  expect(isLoopback(host)).toBe(false);
});
