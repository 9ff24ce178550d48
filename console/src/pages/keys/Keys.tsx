import { csvOf } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { keyFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { SortChoice, useSorting } from '../../ui/lists/sorting.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { KeyTable } from '../../widgets/KeyTable.tsx';
import { PartnerFilter } from '../../widgets/PartnerFilter.tsx';
import { Total } from '../../widgets/Total.tsx';

const orders = [
  ['', 'Newest first'],
  ['created_at', 'Oldest first'],
  ['expires_at', 'Next to expire first'],
  ['-expires_at', 'Last to expire first'],
] as const;

export default function Keys() {
  const { environment, queries, mayChange } = useEnvironment();
  const filter = useFilters(keyFilters);
  const sorting = useSorting('-created_at');
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
      fields={
        <>
          <PartnerFilter {...filter} />
          <SortChoice sorting={sorting} options={orders} />
        </>
      }
    >
      {(shown) => <KeyTable keys={shown} withPartner sorting={sorting} />}
    </ListPage>
  );
}
