/** What a change of many deliveries says about itself before it is made, and while it runs. */
import type {
  AuditEntry,
  BulkAction,
  Delivery,
  DeliveryCount,
  DeliveryFilter,
} from '../../api/types.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import { deliveriesInWords } from '../../words/en/counted.ts';

interface Words {
  /** On the buttons that start it. */
  one: string;
  all: string;
  /** On the button that does it, around the number. */
  submit(deliveries: string): string;
  /** On the button that changes nothing. */
  keep: string;
  title(what: string): string;
  done(deliveries: string): string;
}

export const bulkWords: Record<BulkAction, Words> = {
  retry: {
    one: 'Send again',
    all: 'Send all again…',
    submit: (deliveries) => `Send ${deliveries} again`,
    keep: 'Send nothing',
    title: (what) => `Send ${what} again?`,
    done: (deliveries) => `Sending ${deliveries} again.`,
  },
  cancel: {
    one: 'Cancel',
    all: 'Cancel all…',
    submit: (deliveries) => `Cancel ${deliveries}`,
    keep: 'Keep them',
    title: (what) => `Cancel ${what}?`,
    done: (deliveries) => `Cancelled ${deliveries}.`,
  },
  acknowledge: {
    one: 'Acknowledge',
    all: 'Acknowledge all…',
    submit: (deliveries) => `Acknowledge ${deliveries}`,
    keep: 'Leave them open',
    title: (what) => `Acknowledge ${what}?`,
    done: (deliveries) => `Acknowledged ${deliveries}.`,
  },
};

/** From this many on, the number must be typed. */
const MOST_WITHOUT_TYPING = 1_000;

export function numberToType(count: number): string | undefined {
  return count > MOST_WITHOUT_TYPING ? String(count) : undefined;
}

export function titleOf(action: BulkAction, isSelection: boolean): string {
  return bulkWords[action].title(
    isSelection ? 'the selected deliveries' : 'everything this filter finds',
  );
}

/**
 * What the change is made of: delivered ones are sent again only if somebody asks for that, and an acknowledgement
 * is for what nobody has looked after.
 */
export function narrowed(
  action: BulkAction,
  filter: DeliveryFilter,
  alsoDelivered: boolean,
): DeliveryFilter {
  if (action === 'acknowledge') return { ...filter, only: 'unacknowledged' };
  const isNarrow = filter.only !== undefined || filter.state !== undefined;
  if (isNarrow || (action === 'retry' && alsoDelivered)) return filter;
  return { ...filter, only: 'undelivered' };
}

export function countSelected(
  selected: readonly Pick<Delivery, 'state' | 'acknowledged_at'>[],
  { only }: DeliveryFilter,
): DeliveryCount {
  const by_state = { pending: 0, delivered: 0, exhausted: 0, cancelled: 0, unrouted: 0 };
  const counted = selected.filter(({ state, acknowledged_at }) => {
    if (only === 'undelivered') return state !== 'delivered';
    if (only === 'unacknowledged') return state === 'exhausted' && acknowledged_at === null;
    return true;
  });
  for (const { state } of counted) by_state[state]++;
  return { count: counted.length, by_state, has_more: false };
}

/** How many of those that were counted are changed: a cancellation needs something to stop. */
export function affectedBy(action: BulkAction, { count, by_state }: DeliveryCount): number {
  return action === 'cancel' ? by_state.pending + by_state.unrouted : count;
}

/** In sentences, the number first. */
export function consequences(action: BulkAction, counted: DeliveryCount): string[] {
  const { count, has_more } = counted;
  if (has_more) {
    return [
      `The filter finds more than ${deliveriesInWords(count)}.`,
      'Narrow it, for example to a span of time, and make several changes.',
    ];
  }
  if (action === 'cancel') return ofCancelling(counted);
  if (action === 'acknowledge') return ofAcknowledging(count);
  return ofSending(counted);
}

function ofCancelling(counted: DeliveryCount): string[] {
  const open = affectedBy('cancel', counted);
  if (open === 0) return ['Nothing here is still to be sent, so there is nothing to cancel.'];
  const settled = counted.count - open;
  return [
    `${deliveriesInWords(open)} will get no further attempt.`,
    ...(settled > 0
      ? [`The other ${inDigits(settled)} found are settled and stay as they are.`]
      : []),
    open === 1 ? 'It can be sent again later.' : 'They can be sent again later.',
  ];
}

function ofAcknowledging(count: number): string[] {
  if (count === 0) return ['Nothing here is exhausted and open, so there is nothing to do.'];
  return [
    `${deliveriesInWords(count)} will no longer be shown as a task.`,
    count === 1
      ? 'It stays exhausted and can be sent again later.'
      : 'They stay exhausted and can be sent again later.',
  ];
}

function ofSending({ count, by_state }: DeliveryCount): string[] {
  if (count === 0) return ['Everything here is delivered already.'];
  const { pending, delivered, exhausted, cancelled, unrouted } = by_state;
  const some = (number: number, words: string) =>
    number > 0 ? [`${inDigits(number)} of them ${words}`] : [];
  return [
    `${deliveriesInWords(count)} will be attempted now.`,
    ...some(delivered, 'are already delivered and will be sent again.'),
    ...some(exhausted + cancelled, 'were given up and start a new schedule.'),
    ...some(unrouted, 'have no midoffice; they are skipped if their partner still has none.'),
    ...(count > pending ? ["What is sent again goes where its partner's webhooks go now."] : []),
  ];
}

/** The end of the span is the moment of the count, which tells this change from others. */
export function changedBy(entries: readonly AuditEntry[], { until }: DeliveryFilter): number {
  const afters = entries.map(({ after }) => after as { changed?: number; filter?: DeliveryFilter });
  return afters.find(({ filter }) => until !== undefined && filter?.until === until)?.changed ?? 0;
}
