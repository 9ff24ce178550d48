import { accepted, inWords, isAccepted, refused } from '../answer.ts';
import type { Case } from '../line.ts';
import type { Request } from '../sender.ts';

const REFUSED = 'A 4xx status; 401 is usual.';
const AN_HOUR_S = 3_600;

/** The key of the signature example that every partner is given. */
const EXAMPLE_KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';

export const refusesCases: Case[] = [
  {
    name: 'forged-signature',
    group: 'refuses',
    title: 'refuses a forged signature',
    sent: 'A webhook with one digit changed in its signature, and in that of the headers too.',
    expected: REFUSED,
    why: 'Otherwise anyone who finds the URL could cancel orders.',
    fix: 'Compute the signature yourself and compare all of it, in constant time; answer 401 if it differs.',
    run: async (sender) => refused(await sender.post(forge(sender.compose()))),
  },
  {
    name: 'unsigned',
    group: 'refuses',
    title: 'refuses an unsigned webhook',
    sent: 'A webhook without "signature" and without the webhook-… headers.',
    expected: REFUSED,
    why: 'A check that runs only if there is a signature protects nothing.',
    fix: 'Treat a missing "signature" like a wrong one.',
    run: async (sender) =>
      refused(
        await sender.post(
          sender.unsigned(
            JSON.stringify({ data: { type: 'updated', partner_order_id: sender.newOrderId() } }),
          ),
        ),
      ),
  },
  {
    name: 'wrong-key',
    group: 'refuses',
    title: 'refuses another key',
    sent: 'A webhook that is fully signed, but with an invented key.',
    expected: REFUSED,
    why: 'Other partners have keys too.',
    fix: 'Use your own API key, in full, as the HMAC key.',
    run: async (sender) => refused(await sender.post(sender.compose({ key: crypto.randomUUID() }))),
  },
  {
    name: 'example-key',
    group: 'refuses',
    title: 'refuses the example key of the documentation',
    sent: `A webhook signed with ${EXAMPLE_KEY}, the key of the published signature example.`,
    expected: REFUSED,
    why: 'Everyone knows that key. It is easily left in when an example becomes a receiver.',
    fix: 'Remove the example key from the code and from its defaults.',
    async run(sender) {
      if (sender.keys.includes(EXAMPLE_KEY)) {
        return { passed: true, got: 'Not sent: it is the key that the check was given.' };
      }
      return refused(await sender.post(sender.compose({ key: EXAMPLE_KEY })));
    },
  },
  {
    name: 'empty-key',
    group: 'refuses',
    title: 'refuses an empty key',
    sent: 'A webhook signed with an empty key.',
    expected: REFUSED,
    why: 'A key that is not set, such as the old one after a rotation, often ends up as empty text, and anyone can sign with that.',
    fix: 'Refuse to start without a key, and leave empty keys out of the list.',
    run: async (sender) => refused(await sender.post(sender.compose({ key: '' }))),
  },
  {
    name: 'stale-timestamp',
    group: 'refuses',
    title: 'refuses an old timestamp',
    sent: 'A webhook signed with the right key, an hour ago.',
    expected: REFUSED,
    why: 'Otherwise a recorded webhook could be replayed once its token is forgotten.',
    fix: 'Refuse a timestamp that is further from now than your tolerance; 15 seconds is usual.',
    run: async (sender) => refused(await sender.post(sender.compose({ age: AN_HOUR_S }))),
  },
  {
    name: 'future-timestamp',
    group: 'refuses',
    title: 'refuses a timestamp in the future',
    sent: 'A webhook signed with the right key, dated in an hour.',
    expected: REFUSED,
    why: 'It would stay valid until that time.',
    fix: 'Compare the absolute difference between timestamp and now with your tolerance.',
    run: async (sender) => refused(await sender.post(sender.compose({ age: -AN_HOUR_S }))),
  },
  {
    name: 'repeated-token',
    group: 'refuses',
    title: 'refuses a repeated token',
    sent: 'A genuine webhook, then exactly the same bytes again.',
    expected: 'A 2xx status, then a 4xx status.',
    why: 'Otherwise a recorded webhook can be replayed within the tolerance. The service itself never repeats a token.',
    fix: 'Remember the tokens of genuine webhooks for as long as their timestamp is accepted, in one atomic step, in a store that all your processes share.',
    async run(sender) {
      const request = sender.compose();
      const first = accepted(await sender.post(request));
      if (!first.passed) return { passed: false, got: `The first time: ${first.got}` };
      return refused(await sender.post({ ...request, genuine: false }));
    },
  },
  {
    name: 'forgery-first',
    group: 'refuses',
    title: 'remembers only the tokens of genuine webhooks',
    sent: 'A webhook with a forged signature, then the genuine one with the same token.',
    expected: 'A 2xx status for the genuine one.',
    why: 'Otherwise a stranger can make you refuse genuine webhooks.',
    fix: 'Check the signature first, and remember the token only if it is right.',
    async run(sender) {
      const request = sender.compose();
      await sender.post(forge(request));
      const outcome = await sender.post(request);
      return isAccepted(outcome)
        ? { passed: true, got: inWords(outcome) }
        : { passed: false, got: `The genuine webhook: ${accepted(outcome).got}` };
    },
  },
  {
    name: 'changed-payload',
    group: 'refuses',
    title: 'refuses a changed payload',
    sent: 'A webhook with a valid signature in its body, but with another partner_order_id than the one that was signed in the headers.',
    expected: `${REFUSED} A 2xx status is a warning.`,
    why: 'The signature in the body covers only timestamp and token. Someone who gets hold of a webhook before you have seen its token could put another order into it.',
    fix: 'Verify the signature in the webhook-… headers too, over the bytes as received. If you cannot, look the order up in the API before you act on a webhook.',
    async run(sender) {
      const outcome = await sender.post(withAnotherOrder(sender.compose(), sender.newOrderId()));
      if (!isAccepted(outcome)) return refused(outcome);
      return {
        passed: false,
        warned: true,
        got: `${inWords(outcome)} The receiver does not verify the headers, which the specification does not ask for.`,
      };
    },
  },
];

/** Both signatures stay as they are; only that of the headers no longer fits. */
function withAnotherOrder({ headers, body }: Request, orderId: string): Request {
  const changed = JSON.parse(body, (name, value) =>
    name === 'partner_order_id' ? orderId : value,
  );
  return { headers, body: JSON.stringify(changed), genuine: false };
}

/** Without the key, nobody can sign the headers either. */
function forge(request: Request): Request {
  const parsed = JSON.parse(request.body);
  const right: string = parsed.signature.signature;
  const forged = otherEnd(right, '0', '1');
  const signatures = request.headers['webhook-signature'] ?? '';
  return {
    headers: {
      ...request.headers,
      'webhook-signature': signatures
        .split(' ')
        .map((one) => `v1,${otherStart(one.slice(3))}`)
        .join(' '),
    },
    body: request.body.replace(right, forged),
    genuine: false,
    rightSignature: right,
  };
}

/** Changes the last digit, to catch a comparison that stops early. */
function otherEnd(text: string, one: string, other: string): string {
  return text.slice(0, -1) + (text.endsWith(one) ? other : one);
}

function otherStart(text: string): string {
  return (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
}
