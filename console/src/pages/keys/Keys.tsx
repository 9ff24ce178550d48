import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { keyFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { useSorting } from '../../ui/lists/sorting.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { KeyTable } from '../../widgets/KeyTable.tsx';
import { PartnerFilter } from '../../widgets/PartnerFilter.tsx';
import { Total } from '../../widgets/Total.tsx';

export default function Keys() {
  const { queries, mayChange } = useEnvironment();
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
      actions={<DownloadCsv list="keys" query={query} />}
      list={keys}
      filter={filter}
      fields={<PartnerFilter {...filter} />}
    >
      {(shown) => <KeyTable keys={shown} withPartner sorting={sorting} />}
    </ListPage>
  );
}
