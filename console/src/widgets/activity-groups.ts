/** What repeats is one line: the same change again and again, or many deliveries one after another. */
import type { AuditEntry } from '../api/types.ts';
import { inDigits } from '../ui/text/numbers.ts';
import { deliveriesInWords } from '../words/en/counted.ts';

/** One delivery each. What many of them say, by the action. */
const ofDeliveries: Record<string, (deliveries: string) => string> = {
  'delivery.retry': (deliveries) => `sent ${deliveries} again`,
  'delivery.cancel': (deliveries) => `cancelled ${deliveries}`,
  'delivery.acknowledge': (deliveries) => `acknowledged ${deliveries}`,
};

const ORDERS_NAMED = 3;

export type Group<T> = readonly [T, ...T[]];
type Entry = Pick<AuditEntry, 'actor' | 'action' | 'sentence' | 'subject_name'>;

/** Those that follow each other and belong together. */
export function inGroups<T>(list: readonly T[], alike: (one: T, other: T) => boolean): Group<T>[] {
  const groups: [T, ...T[]][] = [];
  for (const one of list) {
    const group = groups.at(-1);
    if (group && alike(group[0], one)) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

export function areAlike(one: Entry, other: Entry): boolean {
  if (one.actor !== other.actor || one.action !== other.action) return false;
  return one.action in ofDeliveries || one.sentence === other.sentence;
}

/** What the entries of a group have in common, as it goes on after the actor. */
export function groupInWords(group: Group<Entry>): string {
  const [{ action, sentence }] = group;
  if (group.length === 1) return sentence;
  const did = ofDeliveries[action];
  if (!did) return `${sentence}, ${inDigits(group.length)} times`;
  const orders = [...new Set(group.map(({ subject_name }) => subject_name.replace(/^order /, '')))];
  return `${did(deliveriesInWords(group.length))}: ${ordersInWords(orders, orders.length)}`;
}

/** "order 1001", "orders 1001, 1002, 1003 and 9 more". */
export function ordersInWords(orders: readonly string[], count: number): string {
  const shown = orders.slice(0, ORDERS_NAMED);
  const others = count - shown.length;
  const more = others > 0 ? ` and ${inDigits(others)} more` : '';
  return `${count === 1 ? 'order' : 'orders'} ${shown.join(', ')}${more}`;
}
