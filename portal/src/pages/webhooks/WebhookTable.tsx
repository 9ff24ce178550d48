import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Column, Table } from '../../../../console/src/ui/lists/Table.tsx';
import { Ago, Due } from '../../../../console/src/ui/text/Time.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { DeliveryBadge } from '../../../../console/src/widgets/badges.tsx';
import { LastResult } from '../../../../console/src/widgets/LastResult.tsx';
import type { Delivery } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

export function WebhookTable({ items, empty }: { items: Delivery[]; empty: ReactNode }) {
  const { links } = useView();
  const columns: Column<Delivery>[] = [
    {
      head: words.webhooks.order,
      cell: ({ id, partner_order_id }) => (
        <Link className={`${textStyles.strong} ${textStyles.clip}`} {...links.webhook(id)}>
          {partner_order_id}
        </Link>
      ),
    },
    { head: words.webhooks.type, cell: ({ type }) => words.webhooks.types[type] },
    {
      head: words.webhooks.state,
      cell: (delivery) => <DeliveryBadge delivery={delivery} />,
      phone: 'lead',
    },
    { head: words.webhooks.last, cell: (delivery) => <LastResult delivery={delivery} /> },
    {
      head: words.webhooks.attempts,
      cell: ({ attempts_made }) => attempts_made,
      numeric: true,
      phone: 'hidden',
    },
    {
      head: words.webhooks.accepted,
      cell: ({ accepted_at }) => <Ago at={accepted_at} />,
      phone: 'second',
    },
    {
      head: words.webhooks.next,
      cell: ({ next_attempt_at }) => (next_attempt_at ? <Due at={next_attempt_at} /> : '–'),
      phone: 'hidden',
    },
  ];
  return (
    <Table
      label={words.webhooks.title}
      columns={columns}
      rows={items}
      keyOf={({ id }) => id}
      empty={empty}
    />
  );
}
