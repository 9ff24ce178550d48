import { accepted, inWords, isRefused, refused } from '../answer.ts';
import type { Answered, Failed } from '../exchange.ts';
import type { Case, Finding } from '../line.ts';
import type { Request, Sender } from '../sender.ts';

const REFUSED_AND_ALIVE = 'A 4xx status, and a 2xx status for the genuine webhook that follows.';
const REFUSED_OR_CUT_OFF =
  'A 4xx status, or a closed connection, and a 2xx status for the genuine webhook that follows.';
const HUGE_BYTES = 1_048_576;
/** Deep enough for a recursive parser, and small enough for a limit on the size. */
const DEPTH = 20_000;

export const survivesCases: Case[] = [
  {
    name: 'malformed-json',
    group: 'survives',
    title: 'refuses incomplete JSON',
    sent: 'The first half of a webhook, then a genuine one.',
    expected: REFUSED_AND_ALIVE,
    why: 'The URL is on the internet and gets worse requests than this. If the receiver crashes or answers 5xx, anyone can take it down.',
    fix: 'Catch errors of the JSON parser, and answer 400.',
    run(sender) {
      const { body } = sender.compose();
      return survived(sender, sender.raw(body.slice(0, body.length / 2)));
    },
  },
  {
    name: 'empty-body',
    group: 'survives',
    title: 'refuses an empty body',
    sent: 'A POST with no body, then a genuine webhook.',
    expected: REFUSED_AND_ALIVE,
    why: 'Scanners and health checks send such requests all day.',
    fix: 'Answer 400 if there is no body.',
    run: (sender) => survived(sender, sender.raw('')),
  },
  {
    name: 'json-null',
    group: 'survives',
    title: 'refuses JSON that is not an object',
    sent: 'The JSON value null, then a genuine webhook.',
    expected: REFUSED_AND_ALIVE,
    why: 'It is valid JSON, so it passes the parser and fails where the fields are read.',
    fix: 'Check that the body is an object before you read fields from it; answer 400 if not.',
    run: (sender) => survived(sender, sender.raw('null')),
  },
  {
    name: 'wrong-types',
    group: 'survives',
    title: 'refuses fields of the wrong type',
    sent: 'A body whose "data" is a list and whose timestamp and token are objects, then a genuine webhook.',
    expected: REFUSED_AND_ALIVE,
    why: 'Code that expects text throws, or compares "[object Object]".',
    fix: 'Check the type of each field that you use; answer 400 if one is wrong.',
    run: (sender) =>
      survived(
        sender,
        sender.raw('{"data":[],"signature":{"signature":7,"timestamp":{},"token":{}}}'),
      ),
  },
  {
    name: 'wrong-content-type',
    group: 'survives',
    title: 'refuses a body that is not JSON',
    sent: 'A web form, content-type application/x-www-form-urlencoded, then a genuine webhook.',
    expected: REFUSED_AND_ALIVE,
    why: 'Frameworks parse forms automatically, and hand over something that your code does not expect.',
    fix: 'Answer 415 or 400 to anything that is not JSON.',
    run: (sender) =>
      survived(
        sender,
        sender.raw(`type=cancelled&partner_order_id=${sender.newOrderId()}&signature=none`, {
          'content-type': 'application/x-www-form-urlencoded',
        }),
      ),
  },
  {
    name: 'deep-nesting',
    group: 'survives',
    title: 'refuses deeply nested lists',
    sent: 'A list inside a list, 20,000 deep (40 KB), then a genuine webhook.',
    expected: REFUSED_AND_ALIVE,
    why: 'It exhausts the stack of parsers that recurse, which in some languages ends the process.',
    fix: 'Use a parser with a limit on the depth; answer 400.',
    run: (sender) =>
      survived(
        sender,
        sender.raw(`{"data":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)},"signature":{}}`),
      ),
  },
  {
    name: 'huge-body',
    group: 'survives',
    title: 'refuses a body of 1 MB',
    sent: 'A JSON object of 1 MB, not signed, then a genuine webhook.',
    expected: REFUSED_OR_CUT_OFF,
    why: 'A webhook has less than 4 KB. Without a limit, an attacker can make your server run out of memory.',
    fix: 'Stop reading at 64 KiB or so, and answer 413.',
    run: (sender) =>
      survived(
        sender,
        sender.raw(`{"data":{"type":"${'x'.repeat(HUGE_BYTES)}"},"signature":{}}`),
        isCutOff,
      ),
  },
];

/** A server that stops reading closes the connection, and its 413 may get lost. */
function isCutOff(outcome: Answered | Failed): boolean {
  return outcome.kind === 'failed' && outcome.code === 'connection_reset';
}

async function survived(
  sender: Sender,
  broken: Request,
  alsoGood: (outcome: Answered | Failed) => boolean = () => false,
): Promise<Finding> {
  const outcome = await sender.post(broken);
  const next = accepted(await sender.post(sender.compose()));
  const first = isRefused(outcome) || alsoGood(outcome) ? inWords(outcome) : refused(outcome).got;
  return {
    passed: (isRefused(outcome) || alsoGood(outcome)) && next.passed,
    got: next.passed ? first : `${first} Then, to the genuine one: ${next.got}`,
  };
}
