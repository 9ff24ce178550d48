/** Find deliveries: the filters are in the address, the list is live. */
import { useDesk } from '../desk.tsx';
import { useMidofficeNames, usePartnerNames } from '../names.ts';
import { usePages } from '../paged.ts';
import { DeliveryTable } from '../parts/DeliveryTable.tsx';
import { Empty } from '../parts/Empty.tsx';
import { FilterBar, FilterSelect, FilterText, FilterTime } from '../parts/Filters.tsx';
import { LiveMark } from '../parts/LiveMark.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { MoreButton } from '../parts/MoreButton.tsx';
import { Page } from '../parts/Page.tsx';
import { Picker } from '../parts/Picker.tsx';
import { useFilters } from '../router.tsx';

const POLL_MS = 4_000;
const names = [
  'state',
  'type',
  'partner_order_id',
  'midoffice_id',
  'partner_id',
  'since',
  'until',
] as const;
const cleared = Object.fromEntries(names.map((name) => [name, '']));
const states = ['pending', 'delivered', 'exhausted', 'cancelled', 'unrouted'].map(
  (s) => [s, s] as const,
);
const types = ['created', 'updated', 'cancelled'].map((t) => [t, t] as const);

export default function Deliveries() {
  const { api } = useDesk();
  const { filters, change } = useFilters(names);
  const midoffices = useMidofficeNames();
  const partners = usePartnerNames();
  const pages = usePages(
    `deliveries ${JSON.stringify(filters)}`,
    (cursor) => api.deliveries.list({ ...filters, cursor }),
    (delivery) => delivery.id,
    POLL_MS,
  );
  const filtered = Object.keys(filters).length > 0;
  return (
    <Page title="Deliveries" badges={<LiveMark reading={pages.first} />}>
      <FilterBar filtered={filtered} onClear={() => change(cleared)}>
        <FilterText
          label="Order id"
          hint="whole and exact"
          value={filters.partner_order_id}
          onChange={(partner_order_id) => change({ partner_order_id })}
        />
        <FilterSelect
          label="State"
          value={filters.state}
          options={states}
          onChange={(state) => change({ state })}
        />
        <FilterSelect
          label="Event"
          value={filters.type}
          options={types}
          onChange={(type) => change({ type })}
        />
        <Picker
          label="Midoffice"
          none="Any"
          names={midoffices}
          value={filters.midoffice_id ?? ''}
          onChange={(midoffice_id) => change({ midoffice_id })}
        />
        <Picker
          label="Partner"
          none="Any"
          names={partners}
          value={filters.partner_id ?? ''}
          onChange={(partner_id) => change({ partner_id })}
        />
        <FilterTime label="Since" value={filters.since} onChange={(since) => change({ since })} />
        <FilterTime label="Until" value={filters.until} onChange={(until) => change({ until })} />
      </FilterBar>
      <Loaded reading={pages.first}>
        {() =>
          pages.items?.length === 0 ? (
            <Nothing filtered={filtered} />
          ) : (
            <DeliveryTable items={pages.items ?? []} midofficeName={midoffices.of} />
          )
        }
      </Loaded>
      {pages.hasMore && <MoreButton busy={pages.more.busy} onMore={() => void pages.more.run()} />}
    </Page>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty title="No delivery matches these filters.">
        An order id must be whole and exact. If the event never arrived, its partner may have no
        midoffice: see the partner's page.
      </Empty>
    );
  }
  return (
    <Empty title="No order event has arrived yet.">
      The booking core posts events; each becomes a delivery to the partner's midoffice. Try one
      with <code>npx bellhop trigger</code>.
    </Empty>
  );
}
