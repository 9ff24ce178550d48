/**
 * The list of a kind of record: what it can be narrowed to, searched by and sorted by. The conditions come from the
 * record's table of fields, and the orders from `@bellhop/rules/lists`. Each pair has an index, so that a page of a
 * million records costs what one of a hundred costs.
 */
import {
  type ListName,
  lists,
  type Only,
  type Order,
  onlyOf,
  ordersOf,
} from '@bellhop/rules/lists';
import type { Database } from '../store/schema.ts';
import type { Slice } from '../store/slice.ts';
import { type ShownCount, showCount } from './count-queries.ts';
import type { SupportEnvironment } from './environment.ts';
import { words } from './forms.ts';
import {
  countRecords,
  isAscending,
  readRecords,
  type Search,
  sortedBy,
  type Wanted,
} from './list-queries.ts';
import { type Page, type PageRequest, pageOf } from './page.ts';
import { invalidField } from './problem.ts';
import type { RecordTable } from './record.ts';
import { Type } from './type.ts';

export interface ListRequest<List extends ListName> extends PageRequest {
  only?: Only<List> | undefined;
  sort?: Order<List> | undefined;
}

/** `about` says for the documentation what each word means. */
export function recordList<Row extends object, List extends ListName>(
  list: List,
  record: RecordTable<Row>,
  about: Record<Only<List>, string>,
) {
  const rows = (db: Database, slice: Omit<Slice, 'ascending'>, wanted: Wanted<List>) =>
    readRecords(db, list, record, slice, wanted);
  const only = Type.Optional(
    Type.Unsafe<Only<List>>(
      words(onlyOf(list), { title: titleOf(list), description: inWords(about) }),
    ),
  );
  return {
    rows,
    /** Its parameters, besides those of its pages and searches. */
    query: { only, sort: Type.Optional(Type.Unsafe<Order<List>>(sortSchema(list))) },
    countQuery: { only },

    page<Shown>(
      { store, clock }: SupportEnvironment,
      request: ListRequest<List>,
      search: Search,
      show: (row: Row) => Shown,
    ): Promise<Page<Shown>> {
      const order = orderOf(list, request);
      const wanted = { search, only: request.only, order, nowMs: clock.now() };
      return pageOf(request, {
        read: (slice) => rows(store.db, slice, wanted),
        positionOf: (row) => [row.sorted_by, row[record.key] as string],
        show,
        ascending: isAscending(order),
        sortedBy: sortedBy(order),
      });
    },

    async count(
      { store, clock }: SupportEnvironment,
      search: Search,
      only: Only<List> | undefined,
    ): Promise<ShownCount> {
      return showCount(
        await countRecords<List>(store.db, record, { search, only, nowMs: clock.now() }),
      );
    },
  };
}

function orderOf<List extends ListName>(
  list: List,
  { only, sort }: ListRequest<List>,
): Order<List> {
  const orders = ordersOf(list, only);
  if (sort === undefined) return orders[0];
  if (orders.includes(sort)) return sort;
  const others = only === undefined ? 'without only' : `with only=${only}`;
  throw invalidField('sort', `must be one of ${orders.join(', ')} ${others}`);
}

function sortSchema(list: ListName) {
  const orders: [word: string, orders: readonly string[]][] = Object.entries(lists[list]);
  const inWords = orders.map(([word, some]) => {
    const given = word === 'all' ? 'Without `only`' : `With \`only=${word}\``;
    return `${given}: ${some.map((order) => `\`${order}\``).join(', ')}.`;
  });
  return words([...new Set(orders.flatMap(([, some]) => some))], {
    description: `The order of the list. The first is the default. ${inWords.join(' ')}`,
  });
}

function titleOf(list: ListName): string {
  return `Only${list[0]?.toUpperCase()}${list.slice(1)}`;
}

function inWords(about: Record<string, string>): string {
  const meanings = Object.entries(about).map(([word, meaning]) => `\`${word}\`: ${meaning}.`);
  return `Narrows the list. ${meanings.join(' ')}`;
}
