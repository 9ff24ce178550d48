import { ordersOf } from '@bellhop/rules/lists';
import { Link, useNavigate } from '@tanstack/react-router';
import { csvOf } from '../../api/client.ts';
import type { ListedPartner } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { partnerFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { NewButton } from '../../ui/dialogs/NewButton.tsx';
import { NameFilter } from '../../ui/forms/Filters.tsx';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { SortChoice, sortable, useSorting } from '../../ui/lists/sorting.tsx';
import { type Column, Table } from '../../ui/lists/Table.tsx';
import { Ago } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { calendarDate } from '../../ui/text/times.ts';
import { MidofficeBadges, PartnerBadges } from '../../widgets/badges.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { NewPartnerDialog } from '../../widgets/NewPartnerDialog.tsx';
import { NoRecord } from '../../widgets/NoRecord.tsx';
import { OnlyFilter } from '../../widgets/OnlyFilter.tsx';
import { Picker } from '../../widgets/Picker.tsx';
import { Total } from '../../widgets/Total.tsx';
import { Waiting } from '../../widgets/Waiting.tsx';
import styles from './Partners.module.css';

export default function Partners() {
  const { environment, queries, links, mayChange } = useEnvironment();
  const filter = useFilters(partnerFilters);
  const sorting = useSorting(ordersOf('partners', filter.filters.only));
  const query = { ...filter.filters, sort: sorting.sort };
  const partners = usePages(queries.partners(query));
  const columns: Column<ListedPartner>[] = [
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
      phone: 'hidden',
    },
    { head: 'Webhooks to', cell: (partner) => <WebhooksTo partner={partner} />, phone: 'second' },
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
      sorting={sorting}
      fields={
        <>
          <NameFilter {...filter} />
          <OnlyFilter list="partners" {...filter} />
          <Picker label="Midoffice" none="Any" kind="midoffices" {...filter.of('midoffice_id')} />
          <SortChoice sorting={sorting} />
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

/** Where its webhooks go, and what is wrong there. */
function WebhooksTo({ partner }: { partner: ListedPartner }) {
  const { links } = useEnvironment();
  const { midoffice_id, midoffice_name, midoffice_health: health } = partner;
  if (midoffice_id === null || health === null) {
    return <span className={textStyles.dim}>no midoffice</span>;
  }
  const paused = partner.midoffice_paused === true;
  const exhausted = partner.midoffice_exhausted ?? 0;
  const isWell = health === 'healthy' && !paused && exhausted === 0;
  return (
    <span className={styles.webhooks}>
      <Link {...links.midoffice(midoffice_id)} className={`${textStyles.quiet} ${textStyles.clip}`}>
        {midoffice_name}
      </Link>
      {!isWell && <MidofficeBadges midoffice={{ health, paused, exhausted }} />}
      <Waiting midofficeId={midoffice_id} pending={partner.midoffice_pending ?? 0} withWord />
    </span>
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
