import { randomBytes, randomUUID } from 'node:crypto';
import { environmentNames } from '../config/settings.ts';
import {
  BACK_OFFICE_HELP,
  type BackOffice,
  backOfficeOptions,
  openBackOffice,
} from './back-office.ts';
import {
  type Attempt,
  attemptsInAll,
  type Delivery,
  followDeliveries,
  type Told,
} from './follow-delivery.ts';
import type { Command } from './main.ts';
import { latestListener } from './sandbox-receiver.ts';
import { clockTime, paint, printable, progress } from './terminal.ts';
import { readChoice, readOptions, readWholeNumber, UsageError } from './usage.ts';

/** As many as one request may bring. */
const MOST_EVENTS = 1_000;

const eventTypes = ['created', 'updated', 'cancelled'] as const;

interface Accepted {
  event_id: string;
  outcome: 'queued' | 'duplicate' | 'no_midoffice';
  delivery_id: string | null;
}

export const triggerCommand: Command = {
  summary: 'send an order event, and follow its webhook',
  help: `Usage: bellhop trigger [options]

Reports an order event to Bellhop, as the booking core does, so that its webhook goes out. With
--watch it stays and tells of each attempt until the webhook is delivered or given up; then it exits
with 0 only if all were delivered.

Options:
  --type TYPE             created, updated or cancelled; default created
  --order ID              the partner's id of the booking; default: a new one for each event
  --partner ID            whose order it is; default: that of the latest "bellhop listen --sandbox"
  --midoffice ID          where to send it; default: the partner's midoffice
  --agreement-number N    the contract's agreement number
  --status TEXT           the order's status
  --count N               how many events, 1 to ${MOST_EVENTS}; default 1
  --watch                 follow the deliveries until they are settled
  --fast-forward          like --watch, but skip the waits between attempts: the seven days of the
                          schedule pass in seconds. In the sandbox only
  --environment NAME      sandbox or production; default sandbox
${BACK_OFFICE_HELP}
  --json                  print one JSON object a line

Examples:
  bellhop trigger
  bellhop trigger --type cancelled --order 1001 --watch
  bellhop trigger --fast-forward
  bellhop trigger --environment production --partner par_0198c0de --token "$ORDERS_TOKEN"`,
  async run(args) {
    const { values } = readOptions('trigger', args, {
      ...backOfficeOptions,
      type: { type: 'string', default: 'created' },
      order: { type: 'string' },
      partner: { type: 'string' },
      midoffice: { type: 'string' },
      'agreement-number': { type: 'string' },
      status: { type: 'string' },
      count: { type: 'string', default: '1' },
      watch: { type: 'boolean' },
      'fast-forward': { type: 'boolean', default: false },
      environment: { type: 'string', default: 'sandbox' },
      json: { type: 'boolean', default: false },
    });
    const type = readChoice('--type', values.type, eventTypes);
    const environment = readChoice('--environment', values.environment, environmentNames);
    const count = readWholeNumber('--count', values.count, 1, MOST_EVENTS);
    const fastForward = values['fast-forward'];
    if (fastForward && environment !== 'sandbox') {
      throw new UsageError(
        '--fast-forward is for the sandbox only: real partners get the waits they were promised.',
      );
    }
    if (environment === 'production' && !values.partner) {
      throw new UsageError('In production, --partner must say whose order it is.');
    }
    const backOffice = openBackOffice(values);
    const partnerId = values.partner ?? (await listeningPartner(backOffice));
    const events = Array.from({ length: count }, () => ({
      event_id: `cli-${randomUUID()}`,
      type,
      partner_id: partnerId,
      partner_order_id: values.order ?? `order-${randomBytes(4).toString('hex')}`,
      ...(values['agreement-number'] && { agreement_number: values['agreement-number'] }),
      ...(values.status && { status: values.status }),
      ...(values.midoffice && { midoffice_id: values.midoffice }),
    }));
    const path = `/orders/v1/${environment}/events`;
    const { results } = await backOffice.call<{ results: Accepted[] }>('POST', path, { events });
    for (const [index, accepted] of results.entries()) {
      const orderId = events[index]?.partner_order_id ?? '';
      if (values.json) {
        const shown = { kind: 'accepted', type, partner_order_id: orderId, ...accepted };
        console.log(JSON.stringify(shown));
      } else {
        console.log(acceptedLine(type, orderId, accepted));
      }
    }
    const ids = results.flatMap(({ delivery_id }) => delivery_id ?? []);
    if (ids.length < results.length) return 1;
    if (!values.watch && !fastForward) return 0;
    const told = values.json ? asJson() : forPeople(count > 1);
    const settled = await followDeliveries(ids, { backOffice, environment, fastForward, told });
    return settled.every(({ state }) => state === 'delivered') ? 0 : 1;
  },
};

async function listeningPartner(backOffice: BackOffice): Promise<string> {
  const partnerId = await latestListener(backOffice);
  if (partnerId !== undefined) return partnerId;
  throw new UsageError(
    'Whose order is it? Run "bellhop listen --sandbox" first, or name a partner with --partner.',
  );
}

function acceptedLine(type: string, orderId: string, { outcome, delivery_id }: Accepted): string {
  const what = `${type} ${printable(orderId)}`;
  if (outcome === 'no_midoffice') {
    return `${what}: ${paint('red', 'the partner has no midoffice, so the event waits as unrouted')}. Give it one, then recover that midoffice; or name one with --midoffice.`;
  }
  return `${what}: ${outcome} as ${delivery_id}`;
}

function asJson(): Told {
  return {
    attempt: ({ id }, attempt) =>
      console.log(JSON.stringify({ kind: 'attempt', delivery_id: id, ...withoutSecrets(attempt) })),
    settled: ({ id, state, attempts_made, why }) =>
      console.log(JSON.stringify({ kind: 'settled', delivery_id: id, state, attempts_made, why })),
    waiting() {},
    stuck: ({ id }) => console.error(stuckText(id)),
  };
}

function withoutSecrets({ number, started_at, duration_ms, outcome, status_code, error }: Attempt) {
  return { number, started_at, duration_ms, outcome, status_code, error };
}

function forPeople(several: boolean): Told {
  const line = progress();
  const say = (delivery: Delivery, text: string) => {
    line.clear();
    console.log(several ? `${delivery.id}  ${text}` : text);
  };
  return {
    attempt: (delivery, attempt) => say(delivery, attemptLine(delivery, attempt)),
    settled(delivery) {
      const { state, attempts_made: made, why } = delivery;
      const after = `${state} after ${made} attempt${made === 1 ? '' : 's'}`;
      const because = why && state !== 'delivered' ? `. ${printable(why)}` : '';
      say(delivery, paint(state === 'delivered' ? 'green' : 'red', after) + because);
    },
    waiting: (text) => line.show(text),
    stuck: (delivery) => say(delivery, paint('yellow', stuckText(delivery.id))),
  };
}

function attemptLine(delivery: Delivery, attempt: Attempt): string {
  const { number, started_at, duration_ms, outcome, status_code, error } = attempt;
  const inAll = Math.max(attemptsInAll(delivery), number);
  const which = outcome === 'delivered' ? `attempt ${number}` : `attempt ${number} of ${inAll}`;
  const answer = status_code === null ? 'no answer' : `answered ${status_code}`;
  const coloured = paint(outcome === 'delivered' ? 'green' : 'red', answer);
  const words = [
    which,
    paint('dim', clockTime(new Date(started_at))),
    `${coloured} in ${duration_ms} ms`,
    ...(error && status_code === null ? [printable(error)] : []),
  ];
  return words.join('  ');
}

function stuckText(id: string): string {
  return `${id} is due, but nothing attempts it: its midoffice is paused or busy, an earlier event of the same order goes first, or no process with the role "delivery" runs.`;
}
