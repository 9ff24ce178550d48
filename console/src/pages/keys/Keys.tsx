import { ordersOf } from '@bellhop/rules/lists';
import { csvOf } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { keyFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { SortChoice, useSorting } from '../../ui/lists/sorting.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { KeyTable } from '../../widgets/KeyTable.tsx';
import { OnlyFilter } from '../../widgets/OnlyFilter.tsx';
import { PartnerFilter } from '../../widgets/PartnerFilter.tsx';
import { Total } from '../../widgets/Total.tsx';

export default function Keys() {
  const { environment, queries, mayChange } = useEnvironment();
  const filter = useFilters(keyFilters);
  const sorting = useSorting(ordersOf('keys', filter.filters.only));
  const query = { ...filter.filters, sort: sorting.sort };
  const keys = usePages(queries.keys(query));
  return (
    <ListPage
      title="Keys"
      about={
        <>
          <Total source={queries.keysCount(filter.filters)} what="key" />
          {mayChange && ". Create a new key on its partner's page."}
        </>
      }
      actions={<DownloadCsv href={csvOf('listKeys', { environment }, query)} />}
      list={keys}
      filter={filter}
      sorting={sorting}
      fields={
        <>
          <PartnerFilter {...filter} />
          <OnlyFilter list="keys" {...filter} />
          <SortChoice sorting={sorting} />
        </>
      }
    >
      {(shown) => (
        <KeyTable keys={shown} withPartner sorting={sorting} isFiltered={filter.isFiltered} />
      )}
    </ListPage>
  );
}
