import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Delivery } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { type Column, Table } from '../ui/lists/Table.tsx';
import { classes } from '../ui/text/classes.ts';
import { Ago, Due } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { DeliveryBadge } from './badges.tsx';
import styles from './DeliveryTable.module.css';
import { LastResult } from './LastResult.tsx';

/** Which rows are selected. */
export interface RowSelection {
  has(id: string): boolean;
  toggle(id: string): void;
}

const attemptsColumn: Column<Delivery> = {
  head: 'Attempts',
  cell: ({ attempts_made }) => attempts_made,
  numeric: true,
  phone: 'hidden',
};

const NAME = classes(textStyles.quiet, textStyles.clip, styles.name);

interface TableProps {
  items: Delivery[];
  /** Where deliveries of many midoffices and partners are listed. */
  withNames?: boolean;
  selection?: RowSelection | undefined;
  empty: ReactNode;
}

export function DeliveryTable({ items, withNames = false, selection, empty }: TableProps) {
  const { links } = useEnvironment();
  const nameColumns: Column<Delivery>[] = [
    {
      head: 'Partner',
      cell: ({ partner_id, partner_name }) => (
        <Link {...links.partner(partner_id)} className={NAME}>
          {partner_name ?? partner_id}
        </Link>
      ),
    },
    {
      head: 'Midoffice',
      cell: ({ midoffice_id, midoffice_name }) =>
        midoffice_id === null ? (
          'none'
        ) : (
          <Link {...links.midoffice(midoffice_id)} className={NAME}>
            {midoffice_name ?? midoffice_id}
          </Link>
        ),
    },
  ];
  const columns: Column<Delivery>[] = [
    {
      head: 'Order',
      cell: (delivery) => (
        <span className={styles.order}>
          {selection && (
            <input
              type="checkbox"
              aria-label={`Select ${delivery.partner_order_id}`}
              checked={selection.has(delivery.id)}
              onChange={() => selection.toggle(delivery.id)}
            />
          )}
          <Link
            className={`${textStyles.strong} ${textStyles.clip}`}
            {...links.delivery(delivery.id)}
          >
            {delivery.partner_order_id}
          </Link>
        </span>
      ),
    },
    { head: 'Event', cell: ({ type }) => type },
    { head: 'State', cell: (delivery) => <DeliveryBadge delivery={delivery} />, phone: 'lead' },
    {
      head: 'Last attempt',
      cell: (delivery) => <LastResult delivery={delivery} withNumber={withNames} />,
    },
    ...(withNames ? nameColumns : []),
    // With the names, there is no room left for it on a laptop; the last result has the number too.
    ...(withNames ? [] : [attemptsColumn]),
    { head: 'Accepted', cell: ({ accepted_at }) => <Ago at={accepted_at} /> },
    { head: 'Outcome', cell: (delivery) => <Then delivery={delivery} />, phone: 'hidden' },
  ];
  return (
    <Table
      label="Deliveries"
      columns={columns}
      rows={items}
      keyOf={(delivery) => delivery.id}
      empty={empty}
    />
  );
}

function Then({ delivery: { next_attempt_at, settled_at, state } }: { delivery: Delivery }) {
  if (next_attempt_at) return <Due at={next_attempt_at} />;
  if (settled_at) {
    return (
      <>
        {state} <Ago at={settled_at} />
      </>
    );
  }
  return '–';
}
