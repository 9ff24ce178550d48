import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { checkReceiverUrl } from './url.ts';

const NAMES: Record<string, string[]> = {
  'example.com': ['93.184.216.34', '2606:2800:220:1::1'],
  'example.com.': ['93.184.216.34'],
  'xn--bcher-kva.example': ['93.184.216.34'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'mixed.example': ['93.184.216.34', '10.0.0.5'],
  'inside.example': ['10.0.0.5'],
  'half-inside.example': ['10.0.0.5', '93.184.216.34'],
  'odd.example': ['not an address'],
  'empty.example': [],
};

async function resolve(host: string): Promise<string[]> {
  const addresses = NAMES[host];
  if (!addresses) throw new Error('ENOTFOUND');
  return addresses;
}

/** The normal form, or the problem's code. */
async function check(url: string, ...cidrs: string[]): Promise<string> {
  const checked = await checkReceiverUrl(url, {
    allow: cidrs.map((cidr) => ipaddr.parseCIDR(cidr)),
    resolve,
  });
  if (!checked.ok) expect(checked.problem.message).toMatch(/^[^ ].*\.$/);
  return checked.ok ? checked.url : checked.problem.code;
}

test.each([
  ['https://example.com', 'https://example.com/'],
  ['HTTPS://EXAMPLE.com:443/Hook?a=b', 'https://example.com/Hook?a=b'],
  ['https://example.com:8443/hook', 'https://example.com:8443/hook'],
  ['https://example.com./hook', 'https://example.com./hook'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ['https://93.184.216.34/', 'https://93.184.216.34/'],
  ['https://[2606:2800:220:1::1]/', 'https://[2606:2800:220:1::1]/'],
])('accepts %s', async (url, normal) => {
  expect(await check(url)).toBe(normal);
});

test.each([
  'https://127.0.0.1/',
  'https://127.0.0.1./',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://0/',
  'https://%31%32%37.0.0.1/',
  'https://１２７.0.0.1/',
  'https://①②⑦.0.0.1/',
  'https://127。0。0。1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://mixed.example/',
  'https://inside.example/',
  'https://odd.example/',
])('refuses the address of %s', async (url) => {
  expect(await check(url)).toBe('receiver_address');
});

test.each([
  ['', 'receiver_url'],
  ['example.com/hook', 'receiver_url'],
  ['//example.com', 'receiver_url'],
  ['https://', 'receiver_url'],
  ['https://exa mple.com/', 'receiver_url'],
  [' https://example.com/', 'receiver_url'],
  ['https://example.com/\n', 'receiver_url'],
  ['https:\\\\example.com', 'receiver_url'],
  ['https://example.com\\@127.0.0.1/', 'receiver_url'],
  ['https://[fe80::1%25eth0]/', 'receiver_url'],
  ['https://[::1/', 'receiver_url'],
  ['https://256.1.1.1/', 'receiver_url'],
  ['https://1.2.3.4.5/', 'receiver_url'],
  ['https://example.com:65536/', 'receiver_url'],
  ['https://example.com:0/', 'receiver_port'],
  ['https://example.com:22/', 'receiver_port'],
  ['https://example.com:80/', 'receiver_port'],
  ['https://example.com:1023/', 'receiver_port'],
  ['http://example.com/', 'receiver_scheme'],
  ['http://example.com:8443/', 'receiver_scheme'],
  ['ftp://example.com/', 'receiver_scheme'],
  ['file:///etc/passwd', 'receiver_scheme'],
  ['javascript:alert(1)', 'receiver_scheme'],
  ['https://user:secret@example.com/', 'receiver_user_info'],
  ['https://user@example.com/', 'receiver_user_info'],
  ['https://@example.com/', 'receiver_user_info'],
  ['https:user@example.com/', 'receiver_user_info'],
  ['https://example.com/#', 'receiver_fragment'],
  ['https://example.com/#part', 'receiver_fragment'],
  ['https://unknown.example/', 'receiver_unresolved'],
  ['https://empty.example/', 'receiver_unresolved'],
  [`https://example.com/${'a'.repeat(2_029)}`, 'receiver_url_too_long'],
  [`https://example.com/${'ü'.repeat(1_000)}`, 'receiver_url_too_long'],
])('refuses %s as %s', async (url, code) => {
  expect(await check(url)).toBe(code);
});

test.each(['localhost:9000', 'example.com/hook', '10.0.0.1:80/hook?a=b'])(
  'says that %s has no scheme',
  async (url) => {
    const checked = await checkReceiverUrl(url, { allow: [], resolve });
    expect(checked).toMatchObject({
      ok: false,
      problem: {
        code: 'receiver_url',
        message: expect.stringContaining(`has no scheme. Write https://${url} `),
      },
    });
  },
);

test('an @ in the path or query is not user info', async () => {
  expect(await check('https://example.com/@hook?to=a@b')).toBe('https://example.com/@hook?to=a@b');
});

describe('a listed address', () => {
  test('may be called over http and on any port', async () => {
    expect(await check('http://inside.example/', '10.0.0.0/8')).toBe('http://inside.example/');
    expect(await check('http://10.0.0.5:81/', '10.0.0.0/8')).toBe('http://10.0.0.5:81/');
    expect(await check('https://inside.example:22/', '10.0.0.0/8')).toMatch('inside.example');
    expect(await check('https://mixed.example/', '10.0.0.0/8')).toBe('https://mixed.example/');
  });

  test('does not open a public address of the same name to http', async () => {
    expect(await check('http://half-inside.example/', '10.0.0.0/8')).toBe('receiver_scheme');
    expect(await check('https://half-inside.example:22/', '10.0.0.0/8')).toBe('receiver_port');
  });
});
