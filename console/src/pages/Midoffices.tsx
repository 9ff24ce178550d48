import { useState } from 'react';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import type { Midoffice } from '../model.ts';
import { usePages } from '../paged.ts';
import { MidofficeBadges } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import { FilterBar, FilterText } from '../parts/Filters.tsx';
import { PlusIcon } from '../parts/icons.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { MidofficeDialog } from '../parts/MidofficeDialog.tsx';
import { MoreButton } from '../parts/MoreButton.tsx';
import { Page } from '../parts/Page.tsx';
import { type Column, Table } from '../parts/Table.tsx';
import { Ago } from '../parts/Time.tsx';
import { Link, navigate, useFilters } from '../router.tsx';

const POLL_MS = 10_000;
const names = ['name'] as const;

export default function Midoffices() {
  const { api, places, mayChange, environment } = useDesk();
  const [creating, setCreating] = useState(false);
  const { filters, change } = useFilters(names);
  const pages = usePages(
    `midoffices ${filters.name ?? ''}`,
    (cursor) => api.midoffices.list({ name: filters.name, cursor }),
    (midoffice) => midoffice.id,
    POLL_MS,
  );
  const columns: Column<Midoffice>[] = [
    {
      head: 'Midoffice',
      cell: (midoffice) => (
        <Link className="strong clip" to={places.midoffice(midoffice.id)}>
          {midoffice.name}
        </Link>
      ),
    },
    { head: 'Health', cell: (midoffice) => <MidofficeBadges midoffice={midoffice} /> },
    { head: 'Receiver', cell: ({ url }) => <code className="clip">{url}</code> },
    {
      head: 'Failing since',
      cell: ({ failing_since }) => (failing_since ? <Ago at={failing_since} /> : '–'),
    },
    { head: 'Created', cell: (midoffice) => <Ago at={midoffice.created_at} /> },
  ];
  return (
    <Page
      title="Midoffices"
      actions={
        mayChange && (
          <Button kind="primary" onClick={() => setCreating(true)}>
            <PlusIcon /> New midoffice
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
          pages.items?.length === 0 && filters.name ? (
            <Empty title={`No midoffice in ${environment} has this in its name.`} />
          ) : pages.items?.length === 0 ? (
            <Empty title={`There is no midoffice in ${environment} yet.`}>
              A midoffice is where webhooks about orders go.{' '}
              {mayChange &&
                "Register one with the receiver's URL, then choose it on the partner's page."}
            </Empty>
          ) : (
            <Table
              label="Midoffices"
              columns={columns}
              rows={pages.items ?? []}
              keyOf={(midoffice) => midoffice.id}
            />
          )
        }
      </Loaded>
      {pages.hasMore && <MoreButton busy={pages.more.busy} onMore={() => void pages.more.run()} />}
      {creating && (
        <MidofficeDialog
          title={`New midoffice in ${environment}`}
          submit="Create midoffice"
          onClose={() => setCreating(false)}
          onSave={async (fields) => {
            const midoffice = await api.midoffices.create(fields);
            announce(`Created ${midoffice.name}.`);
            navigate(places.midoffice(midoffice.id));
          }}
        />
      )}
    </Page>
  );
}
