import { randomBytes, randomUUID } from 'node:crypto';
import type { EventOutcomes, EventType, OrderEvent } from '@bellhop/support-client';
import { Command, Option } from '@commander-js/extra-typings';
import { type BackOffice, openBackOffice, Refused } from './back-office.ts';
import { UsageError } from './failures.ts';
import { followDeliveries } from './follow-delivery.ts';
import { examples } from './help-style.ts';
import {
  backOfficeOption,
  environmentOption,
  jsonOption,
  tokenOption,
  wholeNumber,
} from './options.ts';
import { latestListener } from './sandbox-receiver.ts';
import { jsonText, paint, shownId } from './terminal.ts';
import { jsonReporter, peopleReporter } from './trigger-report.ts';

/** The most that one request may hold. */
const MOST_EVENTS = 1_000;

const eventTypes = ['created', 'updated', 'cancelled'] as const satisfies EventType[];

export const triggerCommand = new Command()
  .description(
    'Reports an order event to Bellhop, as the booking core does, so that Bellhop sends its webhook. With --watch it waits and shows each attempt until the webhook is delivered or exhausted, and exits with 0 only if everything was delivered.',
  )
  .addOption(
    new Option('--type <type>', 'the type of the event').choices(eventTypes).default('created'),
  )
  .addOption(
    new Option('--order <id>', "the partner's id of the booking").default(
      undefined,
      'a new one for each event',
    ),
  )
  .addOption(
    new Option('--partner <id>', 'the partner whose order it is').default(
      undefined,
      'the partner of the latest "bellhop listen --sandbox"',
    ),
  )
  .addOption(
    new Option('--midoffice <id>', 'the midoffice that gets the webhook').default(
      undefined,
      "the partner's midoffice",
    ),
  )
  .option('--agreement-number <number>', "the contract's agreement number")
  .option('--status <text>', "the order's status")
  .addOption(
    new Option('--count <n>', `how many events to send, 1 to ${MOST_EVENTS}`)
      .argParser(wholeNumber('--count', 1, MOST_EVENTS))
      .default(1),
  )
  .option('--watch', 'follow the deliveries until they are settled')
  .option(
    '--fast-forward',
    'like --watch, but skip the waits between attempts: the seven days of the schedule pass in seconds; sandbox only',
  )
  .addOption(environmentOption('the environment', 'sandbox'))
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(jsonOption('print one JSON object per line'))
  .addHelpText(
    'after',
    examples(
      'bellhop trigger',
      'bellhop trigger --type cancelled --order 1001 --watch',
      'bellhop trigger --fast-forward',
      'bellhop trigger --environment production --partner par_0198c0de --token "$ORDERS_TOKEN"',
    ),
  )
  .action(async (options) => {
    const { environment, fastForward = false, watch = fastForward } = options;
    if (fastForward && environment !== 'sandbox') {
      throw new UsageError(
        '--fast-forward is for the sandbox only: partners in production get the full waits.',
      );
    }
    if (environment === 'production' && !options.partner) {
      throw new UsageError('In production, pass the partner whose order it is with --partner.');
    }
    const backOffice = openBackOffice(options);
    const partnerId = options.partner ?? (await listeningPartner(backOffice));
    const events = Array.from({ length: options.count }, () => newEvent(partnerId, options));
    const { results } = await backOffice
      .call('reportOrderEvents', { environment, body: { events } })
      .catch((error) => {
        throw inTermsOfOptions(error, { ...options, partner: partnerId });
      });
    const isUnrouted = results.every(({ outcome }) => outcome === 'no_midoffice');
    if (isUnrouted && results.length > 1 && !options.json) {
      console.log(`${results.length} events: ${unrouted('they wait as unrouted')}`);
      process.exitCode = 1;
      return;
    }
    for (const [index, accepted] of results.entries()) {
      const { type, partner_order_id } = events[index] as OrderEvent;
      const shown = { kind: 'accepted', type, partner_order_id, ...accepted };
      console.log(options.json ? jsonText(shown) : acceptedLine(shown));
    }
    const ids = results.map(({ delivery_id }) => delivery_id);
    if (results.some(({ outcome }) => outcome === 'no_midoffice')) {
      process.exitCode = 1;
    } else if (watch) {
      const reporter = options.json ? jsonReporter() : peopleReporter(ids.length > 1);
      const following = { backOffice, environment, fastForward, reporter };
      const settled = await followDeliveries(ids, following);
      if (settled.some(({ state }) => state !== 'delivered')) process.exitCode = 1;
    } else if (!options.json) {
      const webhooks = ids.length === 1 ? 'the webhook is' : 'the webhooks are';
      console.log(paint('dim', `Add --watch to see whether ${webhooks} delivered.`));
    }
  });

function newEvent(
  partnerId: string,
  options: {
    type: EventType;
    order?: string | undefined;
    agreementNumber?: string | undefined;
    status?: string | undefined;
    midoffice?: string | undefined;
  },
): OrderEvent {
  return {
    event_id: `cli-${randomUUID()}`,
    type: options.type,
    partner_id: partnerId,
    partner_order_id: options.order ?? `order-${randomBytes(4).toString('hex')}`,
    ...(options.agreementNumber && { agreement_number: options.agreementNumber }),
    ...(options.status && { status: options.status }),
    ...(options.midoffice && { midoffice_id: options.midoffice }),
  };
}

const optionOf: Readonly<Record<string, string>> = {
  partner_order_id: '--order',
  agreement_number: '--agreement-number',
  status: '--status',
};

/** The back office names a field of the event; people know the option. */
function inTermsOfOptions(
  error: unknown,
  { environment, partner, midoffice }: { environment: string; partner: string; midoffice?: string },
): unknown {
  const [first] = (error instanceof Refused && error.errors) || [];
  if (!first) return error;
  // All events have the same fields, so the first one stands for all.
  const field = first.field.split('/').at(-1) ?? '';
  const there = environment === 'sandbox' ? 'the sandbox' : environment;
  if (field === 'partner_id') {
    return new UsageError(
      `There is no partner ${JSON.stringify(partner)} in ${there}. Pass the id of one with --partner; the console lists them under Partners.`,
    );
  }
  if (field === 'midoffice_id') {
    return new UsageError(
      `There is no midoffice ${JSON.stringify(midoffice)} in ${there}. Pass the id of one with --midoffice, or leave it out to send to the partner's own.`,
    );
  }
  const option = optionOf[field];
  return option ? new UsageError(`${option} ${first.detail}.`) : error;
}

async function listeningPartner(backOffice: BackOffice): Promise<string> {
  const partnerId = await latestListener(backOffice);
  if (partnerId !== undefined) return partnerId;
  throw new UsageError(
    'Whose order is it? Run "bellhop listen --sandbox" first, or pass a partner with --partner.',
  );
}

function acceptedLine(
  accepted: EventOutcomes['results'][number] & Pick<OrderEvent, 'type' | 'partner_order_id'>,
): string {
  const what = `${accepted.type} ${shownId(accepted.partner_order_id)}`;
  if (accepted.outcome === 'no_midoffice') {
    return `${what}: ${unrouted(`the event waits as ${accepted.delivery_id}, unrouted`)}`;
  }
  return `${what}: ${accepted.outcome} as ${accepted.delivery_id}`;
}

function unrouted(what: string): string {
  return `${paint('red', `the partner has no midoffice, so ${what}`)}. Give the partner a midoffice and send what waits again, or pass one with --midoffice.`;
}
