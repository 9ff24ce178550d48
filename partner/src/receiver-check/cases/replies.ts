import { isAccepted, isRedirect, isTimeout } from '../answer.ts';
import type { Finding, Observation } from '../line.ts';
import type { Exchanged, Sender } from '../sender.ts';

const ALL = 'All of the above.';

export const repliesObservations: Observation[] = [
  {
    name: 'in-time',
    group: 'replies',
    title: 'answers in time',
    sent: ALL,
    expected: 'A complete reply to each within the time-out, which is 10 seconds by default.',
    why: 'A webhook that takes longer is abandoned and sent again later, although you may have processed it.',
    fix: 'Store the event (in a queue or a table), answer 200 at once, and do the work afterwards.',
    judge({ exchanged, timeoutMs }) {
      const late = exchanged.filter(({ outcome }) => isTimeout(outcome));
      if (late[0]?.outcome.kind === 'failed') {
        return { passed: false, got: `${count(late, exchanged)}: ${late[0].outcome.message}` };
      }
      const answered = exchanged.filter(({ outcome }) => outcome.kind === 'answered');
      if (answered.length === 0) return undefined;
      const slowest = Math.round(Math.max(...answered.map(({ outcome }) => outcome.durationMs)));
      return { passed: true, got: `The slowest took ${slowest} ms of ${timeoutMs}.` };
    },
  },
  {
    name: 'status-200',
    group: 'replies',
    title: 'answers 200 to what it accepts',
    sent: 'All genuine webhooks above.',
    expected: 'The status 200 exactly.',
    why: 'The specification names 200 as the reply to a webhook that was processed, and does not say what any other status means. Bellhop counts every 2xx as delivered, but the specification does not promise that.',
    fix: 'Answer 200, not 201, 202 or 204; a body is not needed.',
    judge({ exchanged }) {
      const taken = exchanged.filter((one) => one.request.genuine && isAccepted(one.outcome));
      if (taken.length === 0) return undefined;
      const others = taken.filter((one) => statusOf(one) !== 200);
      const statuses = [...new Set(others.map(statusOf))].join(', ');
      return others.length === 0
        ? { passed: true, got: `200 to all ${taken.length} that it accepted.` }
        : { passed: false, got: `${count(others, taken)}: ${statuses}.` };
    },
  },
  {
    name: 'no-redirect',
    group: 'replies',
    title: 'does not redirect',
    sent: ALL,
    expected: 'No 3xx status.',
    why: 'Redirects are not followed: a signed webhook must not be sent somewhere else. Each one is a failed attempt.',
    fix: 'Register the address that the redirect leads to. Check https, "www." and the trailing slash.',
    judge({ exchanged }) {
      const answered = exchanged.filter(({ outcome }) => outcome.kind === 'answered');
      if (answered.length === 0) return undefined;
      const redirects = answered.filter(({ outcome }) => isRedirect(outcome));
      const statuses = [...new Set(redirects.map(statusOf))].join(', ');
      return redirects.length === 0
        ? { passed: true, got: 'None.' }
        : { passed: false, got: `${count(redirects, answered)}: ${statuses}.` };
    },
  },
  {
    name: 'no-leak',
    group: 'replies',
    title: 'gives nothing away',
    sent: ALL,
    expected: 'No stack trace, no key and no expected signature in the reply (its first 4 KiB).',
    why: 'Stack traces tell attackers what you run. A reply with the signature that was expected lets anyone sign.',
    fix: "Log the details, and answer with the status and a word. Turn off the framework's debug mode.",
    judge: judgeLeaks,
  },
];

const STACK_TRACES: readonly RegExp[] = [
  // JavaScript, Java, .NET
  /^\s*at .+[(: ].*(?::\d+|:line \d+)\)?\s*$/m,
  /(?:\\n|<br\s*\/?>)\s*(?:&nbsp;\s*)*at [^\n]{1,200}:\d+/,
  // Python, PHP, Go, Ruby
  /Traceback \(most recent call last\)/,
  /Stack trace:\s*(?:<br\s*\/?>|\\n|\n)?\s*#0 /,
  /\bgoroutine \d+ \[running\]/,
  /\.rb:\d+:in [`']/,
];

function judgeLeaks({ exchanged, keys }: Sender): Finding | undefined {
  const replies = exchanged.flatMap(({ request, outcome }) =>
    outcome.kind === 'answered' ? [{ request, text: outcome.replyExcerpt }] : [],
  );
  if (replies.length === 0) return undefined;
  const leaks = new Set<string>();
  for (const { request, text } of replies) {
    if (STACK_TRACES.some((pattern) => pattern.test(text))) leaks.add('a stack trace');
    if (keys.some((key) => text.includes(key))) leaks.add('the API key');
    const { rightSignature } = request;
    if (rightSignature !== undefined && text.includes(rightSignature)) {
      leaks.add('the signature that was expected');
    }
  }
  return leaks.size === 0
    ? { passed: true, got: 'No leak found.' }
    : { passed: false, got: `The reply contains ${[...leaks].join(' and ')}.` };
}

function statusOf({ outcome }: Exchanged): number | undefined {
  return outcome.kind === 'answered' ? outcome.status : undefined;
}

function count(some: readonly unknown[], all: readonly unknown[]): string {
  return `${some.length} of ${all.length}`;
}
