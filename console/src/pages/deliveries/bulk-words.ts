/** What a change of many deliveries says about itself before it is made, and while it runs. */
import type {
  AuditEntry,
  BulkAction,
  Delivery,
  DeliveryCount,
  DeliveryFilter,
} from '../../api/types.ts';
import { deliveriesInWords } from '../../widgets/counts.ts';

export function verbOf(action: BulkAction): string {
  return action === 'retry' ? 'Retry' : 'Cancel';
}

export function titleOf(action: BulkAction, isSelection: boolean): string {
  return `${verbOf(action)} ${isSelection ? 'the selected deliveries' : 'everything this filter finds'}?`;
}

export function countSelected(selected: readonly Pick<Delivery, 'state'>[]): DeliveryCount {
  const by_state = { pending: 0, delivered: 0, exhausted: 0, cancelled: 0, unrouted: 0 };
  for (const { state } of selected) by_state[state]++;
  return { count: selected.length, by_state, has_more: false };
}

/** In sentences, the number first. */
export function consequences(
  action: BulkAction,
  { count, by_state, has_more }: DeliveryCount,
): string[] {
  if (has_more) {
    return [
      `The filter finds more than ${deliveriesInWords(count)}.`,
      'Narrow it, for example to a span of time, and make several changes.',
    ];
  }
  if (count === 0) return ['The filter finds no delivery.'];
  const { pending, delivered, exhausted, cancelled, unrouted } = by_state;
  if (action === 'cancel') {
    const open = pending + unrouted;
    if (open === 0) return ['All of them are settled, so there is nothing to cancel.'];
    const settled = count - open;
    return [
      `${deliveriesInWords(open)} will get no further attempt.`,
      ...(settled > 0 ? [`The other ${settled} found are settled and stay as they are.`] : []),
      open === 1 ? 'It can be sent again later.' : 'They can be sent again later.',
    ];
  }
  const settled = exhausted + cancelled;
  return [
    `${deliveriesInWords(count)} will be attempted now.`,
    ...(delivered > 0
      ? [`${delivered} of them are already delivered and will be sent again.`]
      : []),
    ...(settled > 0 ? [`${settled} of them were given up and start a new schedule.`] : []),
    ...(unrouted > 0
      ? [`${unrouted} of them have no midoffice; they are skipped if their partner still has none.`]
      : []),
  ];
}

/** The end of the span is the moment of the count, which tells this change from others. */
export function changedBy(entries: readonly AuditEntry[], { until }: DeliveryFilter): number {
  const afters = entries.map(({ after }) => after as { changed?: number; filter?: DeliveryFilter });
  return afters.find(({ filter }) => until !== undefined && filter?.until === until)?.changed ?? 0;
}
