import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { keyFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { KeyTable } from '../../widgets/KeyTable.tsx';
import { PartnerFilter } from '../../widgets/PartnerFilter.tsx';

export default function Keys() {
  const { queries, mayChange } = useEnvironment();
  const filter = useFilters(keyFilters);
  const keys = usePages(queries.keys(filter.filters));
  return (
    <ListPage
      title="Keys"
      about={mayChange && "Create a new key on its partner's page."}
      list={keys}
      filter={filter}
      fields={<PartnerFilter {...filter} />}
    >
      {(shown) => <KeyTable keys={shown} withPartner />}
    </ListPage>
  );
}
