/**
 * What the lists of partners, keys and midoffices can be narrowed to (`only`), and the orders that an index serves then.
 * The first order is the default. A leading minus turns an order round.
 */
const byTime = ['-created_at', 'created_at'] as const;
const byName = ['name', '-name'] as const;
const byExpiry = ['expires_at', '-expires_at'] as const;
const byLastUse = ['last_used_on', '-last_used_on'] as const;
/** Ids begin with the time of creation, so this is newest first, too, unless an import has brought them along. */
const byId = ['-id', 'id'] as const;

export const lists = {
  partners: {
    all: [...byTime, ...byName],
    suspended: byTime,
    uncertified: byTime,
    without_midoffice: byTime,
  },
  keys: {
    all: [...byTime, ...byExpiry],
    active: [...byTime, ...byExpiry, ...byLastUse],
    expiring: byExpiry,
    expired: ['-expires_at', 'expires_at'],
    unused: byLastUse,
    disabled: byTime,
    revoked: byTime,
  },
  midoffices: {
    all: [...byTime, ...byName],
    failing: byTime,
    paused: byTime,
    with_exhausted: byId,
  },
} as const;

export type ListName = keyof typeof lists;
export type Only<List extends ListName> = Exclude<keyof (typeof lists)[List], 'all'> & string;
/** Every order that the list has, whatever it is narrowed to. */
export type Order<List extends ListName> =
  (typeof lists)[List][keyof (typeof lists)[List]] extends infer Orders
    ? Orders extends readonly string[]
      ? Orders[number]
      : never
    : never;

/** `expiring`: within so many days. Partners get their first notice then. */
export const EXPIRING_DAYS = 14;
/** `unused`: for at least so many days. */
export const UNUSED_DAYS = 90;

export function onlyOf<List extends ListName>(list: List): Only<List>[] {
  return Object.keys(lists[list]).filter((word) => word !== 'all') as Only<List>[];
}

/** The orders of a list that is narrowed to this, or to nothing. */
export function ordersOf<List extends ListName>(
  list: List,
  only: string | undefined,
): [Order<List>, ...Order<List>[]] {
  const orders: Readonly<Record<string, readonly string[]>> = lists[list];
  return (orders[only ?? 'all'] ?? lists[list].all) as [Order<List>, ...Order<List>[]];
}

/** The same order from its end. */
export function turned(order: string): string {
  return order.startsWith('-') ? order.slice(1) : `-${order}`;
}
