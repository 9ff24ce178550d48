import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Delivery } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { type Column, Table } from '../ui/lists/Table.tsx';
import { classes } from '../ui/text/classes.ts';
import { Ago } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { DeliveryStatus } from './DeliveryStatus.tsx';
import styles from './DeliveryTable.module.css';

/** Which rows are selected. */
export interface RowSelection {
  has(id: string): boolean;
  toggle(id: string): void;
}

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
      phone: 'second',
      cell: ({ partner_id, partner_name }) => (
        <Link {...links.partner(partner_id)} className={NAME}>
          {partner_name ?? partner_id}
        </Link>
      ),
    },
    {
      head: 'Midoffice',
      phone: 'hidden',
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
    { head: 'Status', cell: (delivery) => <DeliveryStatus delivery={delivery} />, phone: 'lead' },
    ...(withNames ? nameColumns : []),
    { head: 'Accepted', cell: ({ accepted_at }) => <Ago at={accepted_at} />, phone: 'second' },
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
