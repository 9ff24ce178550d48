import { useDesk } from '../desk.tsx';
import type { Delivery } from '../model.ts';
import { Link } from '../router.tsx';
import { DeliveryBadge } from './Badge.tsx';
import { type Column, Table } from './Table.tsx';
import { Ago, Due } from './Time.tsx';

interface TableProps {
  items: Delivery[];
  /** Only where those of many midoffices are listed. */
  midofficeName?: (id: string) => string;
}

export function DeliveryTable({ items, midofficeName }: TableProps) {
  const { places } = useDesk();
  const columns: Column<Delivery>[] = [
    {
      head: 'Order',
      cell: (delivery) => (
        <Link className="strong clip" to={places.delivery(delivery.id)}>
          {delivery.partner_order_id}
        </Link>
      ),
    },
    { head: 'Event', cell: ({ type }) => type },
    { head: 'State', cell: (delivery) => <DeliveryBadge delivery={delivery} /> },
    ...(midofficeName
      ? [
          {
            head: 'Midoffice',
            cell: ({ midoffice_id }: Delivery) =>
              midoffice_id === null ? (
                'none'
              ) : (
                <Link className="quiet clip" to={places.midoffice(midoffice_id)}>
                  {midofficeName(midoffice_id)}
                </Link>
              ),
          },
        ]
      : []),
    { head: 'Attempts', cell: ({ attempts_made }) => attempts_made, numeric: true },
    { head: 'Accepted', cell: ({ accepted_at }) => <Ago at={accepted_at} /> },
    { head: 'Then', cell: (delivery) => <Then delivery={delivery} /> },
  ];
  return (
    <Table label="Deliveries" columns={columns} rows={items} keyOf={(delivery) => delivery.id} />
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
