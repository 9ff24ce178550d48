import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Delivery } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { type Column, Table } from '../ui/lists/Table.tsx';
import { classes } from '../ui/text/classes.ts';
import { Ago, Due } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { DeliveryBadge } from './badges.tsx';
import { MidofficeLink } from './NameLink.tsx';

const midofficeColumn: Column<Delivery> = {
  head: 'Midoffice',
  cell: ({ midoffice_id: id }) =>
    id === null ? (
      'none'
    ) : (
      <MidofficeLink id={id} className={classes(textStyles.quiet, textStyles.clip)} />
    ),
};

interface TableProps {
  items: Delivery[];
  /** Where deliveries of many midoffices are listed. */
  withMidoffice?: boolean;
  empty: ReactNode;
}

export function DeliveryTable({ items, withMidoffice = false, empty }: TableProps) {
  const { links } = useEnvironment();
  const columns: Column<Delivery>[] = [
    {
      head: 'Order',
      cell: (delivery) => (
        <Link
          className={`${textStyles.strong} ${textStyles.clip}`}
          {...links.delivery(delivery.id)}
        >
          {delivery.partner_order_id}
        </Link>
      ),
    },
    { head: 'Event', cell: ({ type }) => type },
    { head: 'State', cell: (delivery) => <DeliveryBadge delivery={delivery} />, phone: 'lead' },
    ...(withMidoffice ? [midofficeColumn] : []),
    {
      head: 'Attempts',
      cell: ({ attempts_made }) => attempts_made,
      numeric: true,
      phone: 'hidden',
    },
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
