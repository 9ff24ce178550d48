import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { keyFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { FilterBar } from '../../ui/forms/Filters.tsx';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { KeyTable } from '../../widgets/KeyTable.tsx';
import { Picker } from '../../widgets/Picker.tsx';

export default function Keys() {
  const { queries, mayChange } = useEnvironment();
  const { filters, change, isFiltered, clear } = useFilters(keyFilters);
  const keys = usePages(queries.keys(filters));
  return (
    <Page title="Keys" about={mayChange && "Create a new key on its partner's page."}>
      <FilterBar filtered={isFiltered} onClear={clear}>
        <Picker
          label="Partner"
          none="Any"
          kind="partners"
          value={filters.partner_id ?? ''}
          onChange={(partner_id) => change({ partner_id })}
        />
      </FilterBar>
      <Loaded query={keys}>{(shown) => <KeyTable keys={shown} withPartner />}</Loaded>
      <MoreButton query={keys} />
    </Page>
  );
}
