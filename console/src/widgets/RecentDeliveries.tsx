/** The newest deliveries of one midoffice or one partner, live. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLiveQuery } from '../api/use-live-query.ts';
import { useEnvironment } from '../app/environment.tsx';
import { Empty } from '../ui/page/Empty.tsx';
import { Loaded } from '../ui/page/Loaded.tsx';
import { Section } from '../ui/page/Section.tsx';
import { DeliveryTable } from './DeliveryTable.tsx';

const POLL_MS = 5_000;
const SHOWN = 8;

interface Props {
  of: { midoffice_id: string } | { partner_id: string };
  /** What to do when there are none. */
  advice: ReactNode;
  children?: ReactNode;
}

export function RecentDeliveries({ of, advice, children }: Props) {
  const { queries, links } = useEnvironment();
  const query = useLiveQuery(queries.newestDeliveries(of, SHOWN), POLL_MS);
  return (
    <Section
      title="Deliveries"
      aside={<Link {...links.deliveries({ ...of })}>All deliveries</Link>}
    >
      {children}
      <Loaded query={query}>
        {({ items }) => (
          <DeliveryTable items={items} empty={<Empty title="No deliveries yet.">{advice}</Empty>} />
        )}
      </Loaded>
    </Section>
  );
}
