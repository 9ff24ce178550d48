import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { partnerApiUrls } from './listeners.ts';

const urls = (variables: Record<string, string>, addresses = {}) =>
  Object.fromEntries(partnerApiUrls(readConfig(variables), addresses));

test('partners find the partner API where it listens, or where the operator says', () => {
  expect(urls({})).toEqual({
    production: 'http://127.0.0.1:8080',
    sandbox: 'http://127.0.0.1:8081',
  });
  expect(
    urls(
      { BELLHOP_PRODUCTION_URL: 'https://api.example/' },
      { production: 'http://127.0.0.1:40001', sandbox: 'http://127.0.0.1:40002' },
    ),
  ).toEqual({ production: 'https://api.example', sandbox: 'http://127.0.0.1:40002' });
});

test('partners find a listener on all addresses under a name that can be called', () => {
  const alone = { BELLHOP_ENVIRONMENTS: 'sandbox' };
  const sandbox = 'http://localhost:8081';
  expect(urls({ ...alone, BELLHOP_HOST: '0.0.0.0' })).toEqual({ sandbox });
  expect(urls({ ...alone, BELLHOP_HOST: '::' })).toEqual({ sandbox });
  expect(urls({ ...alone, BELLHOP_HOST: '::1' })).toEqual({ sandbox: 'http://[::1]:8081' });
});
