/** One partner on one page: how far it is, its keys, its webhooks, and what happened to it. */
import { fieldTitle } from '@bellhop/rules/field-names';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { whenReachable } from '../../api/connection.ts';
import type { Partner as PartnerModel } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { partnerParams, partnerRoute } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { NewButton } from '../../ui/dialogs/NewButton.tsx';
import { TextDialog } from '../../ui/dialogs/TextDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import segmentsStyles from '../../ui/forms/Segments.module.css';
import { Facts } from '../../ui/page/Facts.tsx';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded, Waiting } from '../../ui/page/Loaded.tsx';
import { Note } from '../../ui/page/Note.tsx';
import pageStyles from '../../ui/page/Page.module.css';
import { Page } from '../../ui/page/Page.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { Id } from '../../ui/text/CopyButton.tsx';
import { Time } from '../../ui/text/Time.tsx';
import { calendarDate } from '../../ui/text/times.ts';
import { PartnerBadges } from '../../widgets/badges.tsx';
import { RecentCalls } from '../../widgets/calls/RecentCalls.tsx';
import { KeyTable } from '../../widgets/KeyTable.tsx';
import { Notes } from '../../widgets/Notes.tsx';
import { RecentDeliveries } from '../../widgets/RecentDeliveries.tsx';
import { UsageHistory } from '../../widgets/usage/UsageHistory.tsx';
import { Activity } from './Activity.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { Onboarding } from './Onboarding.tsx';
import { PartnerMidoffice } from './PartnerMidoffice.tsx';
import { PartnerNotices } from './PartnerNotices.tsx';
import { SuspendButton } from './SuspendButton.tsx';

const POLL_MS = 5_000;
// With the words of the portal.
const PartnerPortal = lazy(() => whenReachable(() => import('./portal/PartnerPortal.tsx')));

export default function Partner() {
  const { id } = partnerRoute.useParams();
  const { tab } = useFilters(partnerParams).given;
  const { call, queries, links, mayChange } = useEnvironment();
  const query = useLiveQuery(queries.partner(id), POLL_MS);
  const [isRenaming, setRenaming] = useState(false);
  const partner = query.data;
  return (
    <Page
      title={partner?.name ?? 'Partner'}
      up={<Link {...links.partners}>Partners</Link>}
      about={
        <nav className={segmentsStyles.segments} aria-label="Parts of this page">
          <Link {...links.partner(id)} activeOptions={{ exact: true }}>
            Partner
          </Link>
          <Link {...links.portalOf(id)} activeOptions={{ exact: true }}>
            Portal
          </Link>
        </nav>
      }
      badges={
        partner && (
          <>
            <PartnerBadges partner={partner} />
            <LiveMark query={query} />
          </>
        )
      }
      actions={
        mayChange &&
        partner && (
          <>
            <Button command="Rename partner" onClick={() => setRenaming(true)}>
              Rename
            </Button>
            <SuspendButton partner={partner} />
          </>
        )
      }
    >
      <Loaded query={query}>
        {(shown) =>
          tab === 'portal' ? (
            <Suspense fallback={<Waiting />}>
              <PartnerPortal partner={shown} />
            </Suspense>
          ) : (
            <Shown partner={shown} />
          )
        }
      </Loaded>
      {partner && isRenaming && (
        <TextDialog
          title="Rename partner"
          submit="Save"
          label="Name"
          field="name"
          initial={partner.name}
          onSave={(name) => call('updatePartner', { id, body: { name } })}
          onClose={() => setRenaming(false)}
        />
      )}
    </Page>
  );
}

function Shown({ partner }: { partner: PartnerModel }) {
  return (
    <>
      {partner.suspended && (
        <Note kind="bad">
          This partner is suspended. Every call is refused with <code>api_access_disabled</code>.
        </Note>
      )}
      <div className={pageStyles.detail}>
        <div>
          <Onboarding partner={partner} />
          <Keys partner={partner} />
          <UsageHistory of={{ partner_id: partner.id }} />
          <RecentCalls of={{ partner_id: partner.id }} />
          <RecentDeliveries
            of={{ partner_id: partner.id }}
            advice="They appear once the partner has a midoffice and the booking core posts events of its orders."
          />
          <Activity partnerId={partner.id} />
        </div>
        <div>
          <PartnerFacts partner={partner} />
          <PartnerMidoffice partner={partner} />
          <PartnerNotices partnerId={partner.id} />
          <Notes kind="partners" id={partner.id} />
        </div>
      </div>
    </>
  );
}

function PartnerFacts({ partner }: { partner: PartnerModel }) {
  return (
    <Section title="Partner">
      <Facts
        facts={[
          ['Id', <Id key="i" id={partner.id} what="partner id" />],
          [fieldTitle('integration_started_on'), calendarDate(partner.integration_started_on)],
          [fieldTitle('is_new'), partner.is_new ? 'yes' : 'no'],
          [
            'Certified',
            partner.certified_at ? <Time key="c" at={partner.certified_at} /> : 'not yet',
          ],
          ['Reference', partner.certification_reference ?? '–'],
          ['Created', <Time key="t" at={partner.created_at} />],
        ]}
      />
    </Section>
  );
}

function Keys({ partner }: { partner: PartnerModel }) {
  const { queries, mayChange } = useEnvironment();
  const query = useLiveQuery(queries.keysOf(partner.id), POLL_MS);
  return (
    <Section
      title="Keys"
      aside={
        mayChange && (
          <NewButton
            kind="plain"
            label="New key"
            dialog={(close) => <NewKeyDialog partner={partner} onClose={close} />}
          />
        )
      }
    >
      <Loaded query={query}>{({ items }) => <KeyTable keys={items} />}</Loaded>
    </Section>
  );
}
