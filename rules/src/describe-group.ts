/** What repeats is one line: the same change again and again, or many deliveries one after another. */
import { didToMany } from './describe-change.ts';
import { deliveriesInWords, inDigits, ordersInWords } from './value-words.ts';

export { ordersInWords };

/** One delivery each. What many of them say, by the action. */
const ofDeliveries: Record<string, (deliveries: string) => string> = {
  'delivery.retry': didToMany['deliveries.retry'],
  'delivery.cancel': didToMany['deliveries.cancel'],
  'delivery.acknowledge': didToMany['deliveries.acknowledge'],
};

export type Group<T> = readonly [T, ...T[]];

/** As the server shows it. */
interface Entry {
  actor: string;
  action: string;
  sentence: string;
  subject_name: string;
}

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
