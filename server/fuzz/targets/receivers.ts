/** What receivers answer, and where they say they are. A receiver belongs to a stranger. */
import assert from 'node:assert/strict';
import { BlockList, isIP, isIPv6, Socket } from 'node:net';
import fc from 'fast-check';
import { InterimReplies } from '../../src/gateway/interim-replies.ts';
import { judgeAddress } from '../../src/receiver/policy.ts';
import { readHead } from '../../src/receiver/reply-head.ts';
import { BadReply, ReplyReader } from '../../src/receiver/reply-reader.ts';
import { checkReceiverUrl } from '../../src/receiver/url.ts';
import { parser } from '../target.ts';

const words = [
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 103 x\r\n\r\n',
  'HTTP/1.0 ',
  '\r\n',
  '\r\n\r\n',
  '204',
]
  .concat(['content-length: 5\r\n', 'transfer-encoding: chunked\r\n', 'connection: close\r\n'])
  .concat([
    '5\r\nabcde\r\n',
    '0\r\n\r\n',
    ';x=y',
    'ffffffff\r\n',
    'constructor: a\r\n',
    '__proto__: a\r\n',
  ])
  .concat([' folded\r\n', 'keep-alive: timeout=9\r\n'])
  .concat(['\x15\x03\x03\x00\x02\x02\x32', '\x00\x00\x00\x04\x00\x00\x00\x00\x00']);

export const receiverReply = parser('receiver-reply', {
  words,
  shapes: fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((parts) => parts.join('')),
  check(input) {
    const whole = readIn(input, Math.max(input.length, 1));
    const sizes = input.length <= 2_048 ? [1, 7] : [97, 1_460];
    for (const size of sizes) {
      assert.deepEqual(readIn(input, size), whole, `read otherwise in pieces of ${size}`);
    }
  },
});

/** As a connection delivers it: in pieces, then closed. */
function readIn(input: Buffer, size: number): unknown {
  const reader = new ReplyReader();
  try {
    let isWhole = false;
    for (let from = 0; from < input.length && !isWhole; from += size) {
      isWhole = reader.read(input.subarray(from, from + size));
    }
    if (!isWhole) reader.end();
  } catch (error) {
    assert.ok(error instanceof BadReply, `threw ${error}`);
    return { failure: error.failure, status: reader.status };
  }
  const { status, replyExcerpt, idleMs } = reader;
  assert.ok(status !== undefined && status >= 200 && status <= 999, `status ${status}`);
  assert.ok(Buffer.byteLength(replyExcerpt) <= 3 * 4_096, 'the excerpt is too long');
  assert.doesNotMatch(replyExcerpt.replace(/[\t\r\n]/g, ''), /[\p{Cc}\p{Bidi_Control}]/u);
  assert.ok(idleMs >= 0 && idleMs <= 30_000, `idle for ${idleMs} ms`);
  return { status, replyExcerpt };
}

export const receiverReplyHead = parser('receiver-reply-head', {
  words,
  check(input) {
    const text = input.toString('latin1').replaceAll('\r\n\r\n', '\r\n');
    const head = readHead(text);
    if ('code' in head) return;
    const { body, idleMs } = head;
    assert.ok(body === 'chunks' || body === 'until close' || Number.isSafeInteger(body));
    if (body === 'until close') assert.equal(idleMs, 0, 'a connection without an end is kept');
    if (text.split('\r\n').length > 120) return;
    for (const name of ['x-other', 'constructor', '__proto__', 'toString', 'content-lengthy']) {
      const longer = readHead(`${text}\r\n${name}: 7\r\n folded`);
      assert.deepEqual(longer, head, `${name} changes where the reply ends`);
    }
  },
});

/** The booking core's interim replies are removed; everything else stays as it is. */
export const upstreamReply = parser('upstream-reply', {
  words,
  shapes: fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((parts) => parts.join('')),
  check(input) {
    const whole = withoutInterim(input, Math.max(input.length, 1));
    for (const size of input.length <= 2_048 ? [1, 11] : [97, 1_460]) {
      assert.deepEqual(withoutInterim(input, size), whole, `read otherwise in pieces of ${size}`);
    }
    if (!whole.isCut) assert.ok(input.toString('latin1').endsWith(whole.text), 'changed a reply');
  },
});

function withoutInterim(input: Buffer, size: number): { text: string; isCut: boolean } {
  const socket = new Socket();
  socket.on('error', () => {});
  let from = 0;
  socket.read = () => {
    if (from >= input.length) return null;
    from += size;
    return input.subarray(from - size, from);
  };
  const interim = new InterimReplies();
  interim.filter(socket);
  interim.expectReply();
  let text = '';
  for (let bytes = socket.read(); bytes !== null; bytes = socket.read()) {
    text += bytes.toString('latin1');
  }
  const isCut = socket.destroyed;
  socket.destroy();
  // What came before the cut depends on the pieces, and is not a reply.
  return { text: isCut ? '' : text, isCut };
}

/** From IANA's registries, written apart from the guard. Node matches the addresses, not ipaddr.js. */
const inner = { ipv4: new BlockList(), ipv6: new BlockList() };
const INNER_IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32';
const INNER_IPV6 = '::/8 fc00::/7 fe80::/10 ff00::/8 2001:db8::/32';
for (const [family, networks] of [
  ['ipv4', INNER_IPV4],
  ['ipv6', INNER_IPV6],
] as const) {
  for (const network of networks.split(' ')) {
    const [address = '', length] = network.split('/');
    inner[family].addSubnet(address, Number(length), family);
  }
}

function assertPublic(address: string): void {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  assert.ok(!inner[family].check(address, family), `${address} is not a public address`);
}

export const receiverAddress = parser('receiver-address', {
  words: [
    '::ffff:',
    '::',
    '64:ff9b::',
    '2002:',
    '127.0.0.1',
    '10.',
    '169.254.169.254',
    'fe80::',
    '%1',
  ],
  shapes: fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4().map((text) => `::ffff:${text}`),
    fc.ipV4().map((text) => `64:ff9b::${text}`),
  ),
  check(input) {
    const text = input.toString('latin1');
    const kind = judgeAddress(text, []);
    if (kind === 'blocked') return;
    assert.equal(kind, 'public');
    assert.notEqual(isIP(text), 0, 'not an address');
    // These wrap an IPv4 address, which is what counts.
    const wrapped = /^(?:::ffff:|64:ff9b::)(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
    if (wrapped !== undefined) assertPublic(wrapped);
    else if (!/^(?:[0:]*:ffff:|0*64:ff9b:)/i.test(text)) assertPublic(text);
  },
});

export const receiverUrl = parser('receiver-url', {
  words: [
    'https://',
    'http://',
    '@',
    '#',
    '[::1]',
    '127.1',
    '0x7f.1',
    '2130706433',
    '%31',
    '\\',
    ':0',
    ':22',
  ].concat([
    'localhost',
    'public.example',
    'private.example',
    '。',
    '/hook',
    '?a=b',
    ':8443',
    '\t',
  ]),
  shapes: fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.tuple(fc.constantFrom('http', 'https'), fc.ipV4Extended()).map(([s, ip]) => `${s}://${ip}/`),
    fc.ipV6().map((ip) => `https://[${ip}]/`),
  ),
  async check(input) {
    const text = input.toString();
    const checked = await check(text);
    if (!checked.ok) {
      assert.match(checked.problem.code, /^receiver_/);
      return;
    }
    const url = new URL(checked.url);
    assert.equal(url.protocol, 'https:');
    assert.equal(url.username + url.password + url.hash, '');
    assert.ok(url.port === '' || Number(url.port) >= 1_024, `port ${url.port}`);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !/^(?:::ffff:|64:ff9b:)/i.test(host)) assertPublic(host);
    else if (isIP(host) === 0) assert.ok(!/private|localhost/.test(host), `accepted ${host}`);
    assert.deepEqual(await check(checked.url), checked, 'the stored URL is checked otherwise');
  },
});

function check(text: string) {
  return checkReceiverUrl(text, {
    allow: [],
    resolve: async (host) =>
      /private|localhost/.test(host) ? ['93.184.215.14', '10.0.0.1'] : ['93.184.215.14'],
  });
}
