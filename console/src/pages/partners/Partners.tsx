import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Partner } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { partnerFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { Button } from '../../ui/forms/Button.tsx';
import { FilterBar, FilterText } from '../../ui/forms/Filters.tsx';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import { type Column, Table } from '../../ui/lists/Table.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { classes } from '../../ui/text/classes.ts';
import { PlusIcon } from '../../ui/text/icons.tsx';
import { Ago } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { calendarDate } from '../../ui/text/times.ts';
import { PartnerBadges } from '../../widgets/badges.tsx';
import { MidofficeLink } from '../../widgets/NameLink.tsx';
import { NewPartnerDialog } from './NewPartnerDialog.tsx';

export default function Partners() {
  const { queries, links, mayChange, environment } = useEnvironment();
  const navigate = useNavigate();
  const { filters, change, isFiltered, clear } = useFilters(partnerFilters);
  const [creating, setCreating] = useState(false);
  const partners = usePages(queries.partners(filters));
  const columns: Column<Partner>[] = [
    {
      head: 'Partner',
      cell: (partner) => (
        <Link className={`${textStyles.strong} ${textStyles.clip}`} {...links.partner(partner.id)}>
          {partner.name}
        </Link>
      ),
    },
    { head: 'Status', cell: (partner) => <PartnerBadges partner={partner} /> },
    {
      head: 'Integration since',
      cell: (partner) => calendarDate(partner.integration_started_on),
    },
    {
      head: 'Webhooks to',
      cell: ({ midoffice_id }) =>
        midoffice_id ? (
          <MidofficeLink id={midoffice_id} className={classes(textStyles.quiet, textStyles.clip)} />
        ) : (
          <span className={textStyles.dim}>none</span>
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
      <FilterBar filtered={isFiltered} onClear={clear}>
        <FilterText
          label="Name"
          hint="part of the name"
          value={filters.name}
          onChange={(name) => change({ name })}
        />
      </FilterBar>
      <Loaded query={partners}>
        {(shown) =>
          shown.length === 0 ? (
            <Empty
              title={
                filters.name
                  ? `No partner name in ${environment} contains this.`
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
              rows={shown}
              keyOf={(partner) => partner.id}
            />
          )
        }
      </Loaded>
      <MoreButton query={partners} />
      {creating && (
        <NewPartnerDialog
          onClose={() => setCreating(false)}
          onCreated={(partner) => void navigate(links.partner(partner.id))}
        />
      )}
    </Page>
  );
}
