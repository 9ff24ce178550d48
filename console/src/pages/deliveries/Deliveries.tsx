/** The list of deliveries. Its filters are in the address, and it updates itself. */
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { deliveryFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { FilterBar, FilterSelect, FilterText, FilterTime } from '../../ui/forms/Filters.tsx';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { DeliveryTable } from '../../widgets/DeliveryTable.tsx';
import { Picker } from '../../widgets/Picker.tsx';

const POLL_MS = 4_000;
const states = ['pending', 'delivered', 'exhausted', 'cancelled', 'unrouted'].map(
  (s) => [s, s] as const,
);
const types = ['created', 'updated', 'cancelled'].map((t) => [t, t] as const);

export default function Deliveries() {
  const { queries } = useEnvironment();
  const { filters, change, isFiltered, clear } = useFilters(deliveryFilters);
  const deliveries = usePages(queries.deliveries(filters), POLL_MS);
  return (
    <Page title="Deliveries" badges={<LiveMark query={deliveries} />}>
      <FilterBar filtered={isFiltered} onClear={clear}>
        <FilterText
          label="Order id"
          hint="the whole id"
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
          kind="midoffices"
          value={filters.midoffice_id ?? ''}
          onChange={(midoffice_id) => change({ midoffice_id })}
        />
        <Picker
          label="Partner"
          none="Any"
          kind="partners"
          value={filters.partner_id ?? ''}
          onChange={(partner_id) => change({ partner_id })}
        />
        <FilterTime label="Since" value={filters.since} onChange={(since) => change({ since })} />
        <FilterTime label="Until" value={filters.until} onChange={(until) => change({ until })} />
      </FilterBar>
      <Loaded query={deliveries}>
        {(shown) =>
          shown.length === 0 ? (
            <Nothing filtered={isFiltered} />
          ) : (
            <DeliveryTable items={shown} withMidoffice />
          )
        }
      </Loaded>
      <MoreButton query={deliveries} />
    </Page>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty title="No delivery matches these filters.">
        Enter the whole order id, exactly. If the event never arrived, its partner may have no
        midoffice: see the partner's page.
      </Empty>
    );
  }
  return (
    <Empty title="No order event has arrived yet.">
      The booking core posts events; each becomes a delivery to the partner's midoffice. Try it with{' '}
      <code>npx bellhop trigger</code>.
    </Empty>
  );
}
