import type { Delivery, DeliveryState, DeliveryWithAttempts } from '@bellhop/support-client';
import { Option } from '@commander-js/extra-typings';
import { deliveryStates } from '../../delivery/states.ts';
import { examples } from '../help-style.ts';
import { when } from '../moments.ts';
import { checkSpan, sinceOption, untilOption } from '../options.ts';
import { type Cell, printable, shownId } from '../terminal.ts';
import { attemptLine } from '../trigger-report.ts';
import { answer, listAction, listRecords, supportAction, supportCommand } from './command.ts';
import { facts } from './words.ts';

const ID = 'the id of the delivery';

const list = listAction(
  'list deliveries, filtered',
  'Lists deliveries, the newest first.',
  'bellhop deliveries list --order 1001',
  'bellhop deliveries list --state exhausted --since yesterday',
  'bellhop deliveries list --partner par_0198c0de --csv > deliveries.csv',
)
  .option('--order <id>', "the partner's id of the booking")
  .option('--partner <id>', 'only those of this partner')
  .option('--midoffice <id>', 'only those to this midoffice')
  .addOption(new Option('--state <state>', 'only those in this state').choices(deliveryStates))
  .addOption(sinceOption())
  .addOption(untilOption)
  .action(({ order, partner, midoffice, state, since, until, ...options }) => {
    checkSpan(since, until);
    return listRecords(
      options,
      'listDeliveries',
      {
        partner_order_id: order,
        partner_id: partner,
        midoffice_id: midoffice,
        state,
        since,
        until,
      },
      ['id', 'accepted', 'type', 'order', 'state', 'attempts', 'last', 'partner', 'midoffice'],
      (one) => [
        one.id,
        when(one.accepted_at),
        one.type,
        shownId(one.partner_order_id),
        stateCell(one),
        `${one.attempts_made}`,
        `${one.last_status_code ?? one.last_failure_code ?? ''}`,
        printable(one.partner_name ?? one.partner_id),
        printable(one.midoffice_name ?? one.midoffice_id ?? 'none'),
      ],
    );
  });

const show = supportAction('show', 'show a delivery, its attempts and why it did not arrive')
  .description(
    'Shows a delivery with all its attempts, why the last one failed and what to do about it.',
  )
  .argument('<id>', ID)
  .addHelpText('after', examples('bellhop deliveries show del_1234'))
  .action((id, options) =>
    answer(options, ({ call, environment }) => call('getDelivery', { environment, id }), described),
  );

const retry = supportAction('retry', 'send a delivery again now')
  .description('Sends a delivery again now, whatever its state. It uses no step of the schedule.')
  .argument('<id>', ID)
  .addHelpText('after', examples('bellhop deliveries retry del_1234'))
  .action((id, options) =>
    answer(
      options,
      ({ call, environment }) => call('retryDelivery', { environment, id }),
      (delivery) => `${delivery.id} is sent again. "bellhop deliveries show" shows the outcome.`,
    ),
  );

export const deliveriesCommand = supportCommand(
  'Finds deliveries, says why they did not arrive and sends them again, which needs a token of role support or admin. "bellhop midoffices recover" sends many again, and "bellhop api deliveries" lists what else can be done.',
  [list, show, retry],
  'bellhop deliveries list --order 1001',
  'bellhop deliveries show del_1234',
);

const COLOURS: Partial<Record<DeliveryState, 'green' | 'red'>> = {
  delivered: 'green',
  exhausted: 'red',
  unrouted: 'red',
};

function stateCell({ state }: Delivery): Cell {
  const colour = COLOURS[state];
  return colour ? { text: state, colour } : state;
}

function described({
  attempts,
  future_attempts: _,
  why,
  ...delivery
}: DeliveryWithAttempts): string {
  const lines = attempts.map((one) =>
    attemptLine(one, `attempt ${one.number}`, when(one.started_at)),
  );
  const reason = delivery.state === 'delivered' || !why ? [] : ['', printable(why)];
  return [facts(delivery), ...(lines.length > 0 ? ['', ...lines] : []), ...reason].join('\n');
}
