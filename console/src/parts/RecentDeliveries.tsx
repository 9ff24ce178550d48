/** The newest deliveries of one midoffice or one partner, live. */
import type { ReactNode } from 'react';
import { useDesk } from '../desk.tsx';
import { useReading } from '../live.ts';
import { Link } from '../router.tsx';
import { DeliveryTable } from './DeliveryTable.tsx';
import { Empty } from './Empty.tsx';
import { Loaded } from './Loaded.tsx';
import { Section } from './Page.tsx';

const POLL_MS = 5_000;
const SHOWN = 8;

interface Props {
  of: { midoffice_id: string } | { partner_id: string };
  /** What to do where there are none. */
  advice: ReactNode;
  children?: ReactNode;
}

export function RecentDeliveries({ of, advice, children }: Props) {
  const { api, places } = useDesk();
  const reading = useReading(
    `recent ${JSON.stringify(of)}`,
    () => api.deliveries.list({ ...of, limit: SHOWN }),
    POLL_MS,
  );
  return (
    <Section title="Deliveries" aside={<Link to={places.deliveries({ ...of })}>All of them</Link>}>
      {children}
      <Loaded reading={reading}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="None yet.">{advice}</Empty>
          ) : (
            <DeliveryTable items={items} />
          )
        }
      </Loaded>
    </Section>
  );
}
