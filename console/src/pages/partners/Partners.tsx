import { Link, useNavigate } from '@tanstack/react-router';
import { csvOf } from '../../api/client.ts';
import type { Partner } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { partnerFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { NewButton } from '../../ui/dialogs/NewButton.tsx';
import { NameFilter } from '../../ui/forms/Filters.tsx';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { SortChoice, sortable, useSorting } from '../../ui/lists/sorting.tsx';
import { type Column, Table } from '../../ui/lists/Table.tsx';
import { classes } from '../../ui/text/classes.ts';
import { Ago } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { calendarDate } from '../../ui/text/times.ts';
import { PartnerBadges } from '../../widgets/badges.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { MidofficeLink } from '../../widgets/NameLink.tsx';
import { NewPartnerDialog } from '../../widgets/NewPartnerDialog.tsx';
import { NoRecord } from '../../widgets/NoRecord.tsx';
import { Total } from '../../widgets/Total.tsx';

const orders = [
  ['', 'Newest first'],
  ['created_at', 'Oldest first'],
  ['name', 'By name'],
  ['-name', 'By name, from Z to A'],
] as const;

export default function Partners() {
  const { environment, queries, links, mayChange } = useEnvironment();
  const filter = useFilters(partnerFilters);
  const sorting = useSorting('-created_at');
  const query = { ...filter.filters, sort: sorting.sort };
  const partners = usePages(queries.partners(query));
  const columns: Column<Partner>[] = [
    sortable(sorting, 'name', {
      head: 'Partner',
      cell: (partner) => (
        <Link className={`${textStyles.strong} ${textStyles.clip}`} {...links.partner(partner.id)}>
          {partner.name}
        </Link>
      ),
    }),
    { head: 'Status', cell: (partner) => <PartnerBadges partner={partner} />, phone: 'lead' },
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
    sortable(sorting, 'created_at', {
      head: 'Created',
      cell: (partner) => <Ago at={partner.created_at} />,
      phone: 'hidden',
    }),
  ];
  return (
    <ListPage
      title="Partners"
      about={<Total source={queries.partnersCount(filter.filters)} what="partner" />}
      actions={
        <>
          <DownloadCsv href={csvOf('listPartners', { environment }, query)} />
          {mayChange && <NewPartner />}
        </>
      }
      list={partners}
      filter={filter}
      fields={
        <>
          <NameFilter {...filter} />
          <SortChoice sorting={sorting} options={orders} />
        </>
      }
    >
      {(shown) => (
        <Table
          label="Partners"
          columns={columns}
          rows={shown}
          keyOf={(partner) => partner.id}
          empty={
            <NoRecord what="partner" isFiltered={filter.isFiltered}>
              {mayChange && 'Create the first one. Then give it a key and a midoffice.'}
            </NoRecord>
          }
        />
      )}
    </ListPage>
  );
}

function NewPartner() {
  const { links } = useEnvironment();
  const navigate = useNavigate();
  return (
    <NewButton
      label="New partner"
      dialog={(close) => (
        <NewPartnerDialog
          onClose={close}
          onCreated={(partner) => void navigate(links.partner(partner.id))}
        />
      )}
    />
  );
}
