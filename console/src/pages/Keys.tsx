import { useDesk } from '../desk.tsx';
import { usePartnerNames } from '../names.ts';
import { usePages } from '../paged.ts';
import { FilterBar } from '../parts/Filters.tsx';
import { KeyTable } from '../parts/KeyTable.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { MoreButton } from '../parts/MoreButton.tsx';
import { Page } from '../parts/Page.tsx';
import { Picker } from '../parts/Picker.tsx';
import { useFilters } from '../router.tsx';

const names = ['partner_id'] as const;

export default function Keys() {
  const { api, mayChange } = useDesk();
  const { filters, change } = useFilters(names);
  const partners = usePartnerNames();
  const pages = usePages(
    `keys ${filters.partner_id ?? ''}`,
    (cursor) => api.keys.list({ partner_id: filters.partner_id, cursor }),
    (key) => key.key_id,
  );
  return (
    <Page title="Keys" about={mayChange && "A new key is made on its partner's page."}>
      <FilterBar filtered={Boolean(filters.partner_id)} onClear={() => change({ partner_id: '' })}>
        <Picker
          label="Partner"
          none="Any"
          names={partners}
          value={filters.partner_id ?? ''}
          onChange={(partner_id) => change({ partner_id })}
        />
      </FilterBar>
      <Loaded reading={pages.first}>
        {() => <KeyTable keys={pages.items ?? []} partnerName={partners.of} />}
      </Loaded>
      {pages.hasMore && <MoreButton busy={pages.more.busy} onMore={() => void pages.more.run()} />}
    </Page>
  );
}
