/** The list of deliveries. Its filters are in the address, and it updates itself. */
import { csvOf } from '../../api/client.ts';
import type { DeliveryFilter, EventType } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { deliveryFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { FilterSelect, FilterText } from '../../ui/forms/Filters.tsx';
import { SpanFilter } from '../../ui/forms/SpanFilter.tsx';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import { DeliveryTable } from '../../widgets/DeliveryTable.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { PartnerFilter } from '../../widgets/PartnerFilter.tsx';
import { Picker } from '../../widgets/Picker.tsx';
import { Total } from '../../widgets/Total.tsx';
import { TriggerCommand } from '../../widgets/TriggerCommand.tsx';
import { BulkBar } from './BulkBar.tsx';
import { ResultFilter } from './ResultFilter.tsx';
import { StateFilter } from './StateFilter.tsx';
import { useSelection } from './use-selection.ts';

const POLL_MS = 4_000;
const types = {
  created: 'created',
  updated: 'updated',
  cancelled: 'cancelled',
} satisfies Record<EventType, string>;

export default function Deliveries() {
  const { environment, queries, mayChange } = useEnvironment();
  const filter = useFilters(deliveryFilters);
  const { filters, of, change, isFiltered } = filter;
  const deliveries = usePages(queries.deliveries(filters), POLL_MS);
  const selection = useSelection(deliveries.data ?? []);
  return (
    <ListPage
      title="Deliveries"
      about={<Total source={queries.deliveriesCount(filters)} what="delivery" many="deliveries" />}
      actions={<DownloadCsv href={csvOf('listDeliveries', { environment }, filters)} />}
      list={deliveries}
      isLive
      filter={filter}
      chips={<ResultFilter {...filter} />}
      fields={
        <>
          <FilterText
            label="Order id"
            hint="the beginning is enough"
            value={filters.partner_order_id_prefix ?? filters.partner_order_id}
            onChange={(partner_order_id_prefix) =>
              change({ partner_order_id_prefix, partner_order_id: '' })
            }
          />
          <StateFilter {...filter} />
          <FilterSelect label="Event" options={types} {...of('type')} />
          <Picker label="Midoffice" none="Any" kind="midoffices" {...of('midoffice_id')} />
          <PartnerFilter {...filter} />
          <SpanFilter {...filter} />
        </>
      }
    >
      {(shown) => (
        <>
          {mayChange && shown.length > 0 && (
            <BulkBar
              filter={filters as DeliveryFilter}
              isFiltered={isFiltered}
              selection={selection}
            />
          )}
          <DeliveryTable
            items={shown}
            withNames
            selection={mayChange ? selection : undefined}
            empty={<NoDelivery isFiltered={isFiltered} />}
          />
        </>
      )}
    </ListPage>
  );
}

function NoDelivery({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No delivery matches these filters.">
        Enter the beginning of the order id; upper and lower case count. If the event never arrived,
        check whether its partner has a midoffice.
      </Empty>
    );
  }
  return (
    <Empty title="No order event has arrived yet.">
      The booking core posts events, and each becomes a delivery to the partner's midoffice. Try it
      with <TriggerCommand />.
    </Empty>
  );
}
