import { useState } from 'react';
import { useDesk } from '../desk.tsx';
import type { Partner } from '../model.ts';
import { useMidofficeNames } from '../names.ts';
import { usePages } from '../paged.ts';
import { PartnerBadges } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import { FilterBar, FilterText } from '../parts/Filters.tsx';
import { PlusIcon } from '../parts/icons.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { MoreButton } from '../parts/MoreButton.tsx';
import { NewPartnerDialog } from '../parts/NewPartnerDialog.tsx';
import { Page } from '../parts/Page.tsx';
import { type Column, Table } from '../parts/Table.tsx';
import { Ago } from '../parts/Time.tsx';
import { Link, navigate, useFilters } from '../router.tsx';
import { calendarDate } from '../times.ts';

const names = ['name'] as const;

export default function Partners() {
  const { api, places, mayChange, environment } = useDesk();
  const { filters, change } = useFilters(names);
  const [creating, setCreating] = useState(false);
  const midoffices = useMidofficeNames();
  const pages = usePages(
    `partners ${filters.name ?? ''}`,
    (cursor) => api.partners.list({ name: filters.name, cursor }),
    (partner) => partner.id,
  );
  const columns: Column<Partner>[] = [
    {
      head: 'Partner',
      cell: (partner) => (
        <Link className="strong clip" to={places.partner(partner.id)}>
          {partner.name}
        </Link>
      ),
    },
    { head: 'Standing', cell: (partner) => <PartnerBadges partner={partner} /> },
    {
      head: 'Integration since',
      cell: (partner) => calendarDate(partner.integration_started_on),
    },
    {
      head: 'Webhooks to',
      cell: ({ midoffice_id }) =>
        midoffice_id ? (
          <Link className="quiet clip" to={places.midoffice(midoffice_id)}>
            {midoffices.of(midoffice_id)}
          </Link>
        ) : (
          <span className="dim">none</span>
        ),
    },
    { head: 'Created', cell: (partner) => <Ago at={partner.created_at} /> },
  ];
  return (
    <Page
      title="Partners"
      actions={
        mayChange && (
          <Button kind="primary" onClick={() => setCreating(true)}>
            <PlusIcon /> New partner
          </Button>
        )
      }
    >
      <FilterBar filtered={Boolean(filters.name)} onClear={() => change({ name: '' })}>
        <FilterText
          label="Name"
          hint="part of the name"
          value={filters.name}
          onChange={(name) => change({ name })}
        />
      </FilterBar>
      <Loaded reading={pages.first}>
        {() =>
          pages.items?.length === 0 ? (
            <Empty
              title={
                filters.name
                  ? `No partner in ${environment} has this in its name.`
                  : `There is no partner in ${environment} yet.`
              }
            >
              {mayChange &&
                !filters.name &&
                'Create the first one; then give it a key and a midoffice.'}
            </Empty>
          ) : (
            <Table
              label="Partners"
              columns={columns}
              rows={pages.items ?? []}
              keyOf={(partner) => partner.id}
            />
          )
        }
      </Loaded>
      {pages.hasMore && <MoreButton busy={pages.more.busy} onMore={() => void pages.more.run()} />}
      {creating && (
        <NewPartnerDialog
          onClose={() => setCreating(false)}
          onCreated={(partner) => navigate(places.partner(partner.id))}
        />
      )}
    </Page>
  );
}
