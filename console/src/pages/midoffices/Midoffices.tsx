import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Midoffice } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { midofficeFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { Button } from '../../ui/forms/Button.tsx';
import { FilterBar, FilterText } from '../../ui/forms/Filters.tsx';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import { type Column, Table } from '../../ui/lists/Table.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Empty } from '../../ui/page/Empty.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { PlusIcon } from '../../ui/text/icons.tsx';
import { Ago } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { MidofficeBadges } from '../../widgets/badges.tsx';
import { MidofficeDialog } from './MidofficeDialog.tsx';

const POLL_MS = 10_000;
export default function Midoffices() {
  const { api, queries, links, mayChange, environment } = useEnvironment();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const { filters, change, isFiltered, clear } = useFilters(midofficeFilters);
  const midoffices = usePages(queries.midoffices(filters), POLL_MS);
  const columns: Column<Midoffice>[] = [
    {
      head: 'Midoffice',
      cell: (midoffice) => (
        <Link
          className={`${textStyles.strong} ${textStyles.clip}`}
          {...links.midoffice(midoffice.id)}
        >
          {midoffice.name}
        </Link>
      ),
    },
    { head: 'Health', cell: (midoffice) => <MidofficeBadges midoffice={midoffice} /> },
    { head: 'Receiver', cell: ({ url }) => <code className={textStyles.clip}>{url}</code> },
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
      <FilterBar filtered={isFiltered} onClear={clear}>
        <FilterText
          label="Name"
          hint="part of the name"
          value={filters.name}
          onChange={(name) => change({ name })}
        />
      </FilterBar>
      <Loaded query={midoffices}>
        {(shown) =>
          shown.length === 0 && filters.name ? (
            <Empty title={`No midoffice name in ${environment} contains this.`} />
          ) : shown.length === 0 ? (
            <Empty title={`There is no midoffice in ${environment} yet.`}>
              A midoffice is where webhooks about orders go.{' '}
              {mayChange &&
                "Register one with the receiver's URL, then choose it on the partner's page."}
            </Empty>
          ) : (
            <Table
              label="Midoffices"
              columns={columns}
              rows={shown}
              keyOf={(midoffice) => midoffice.id}
            />
          )
        }
      </Loaded>
      <MoreButton query={midoffices} />
      {creating && (
        <MidofficeDialog
          title={`New midoffice in ${environment}`}
          submit="Create midoffice"
          onClose={() => setCreating(false)}
          onSave={async (fields) => {
            const midoffice = await api.midoffices.create(fields);
            announce(`Created ${midoffice.name}.`);
            await navigate(links.midoffice(midoffice.id));
          }}
        />
      )}
    </Page>
  );
}
