/** One partner: its status, its keys, and where its webhooks go. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { KeyWithSecret, Partner as PartnerModel } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { partnerRoute } from '../../app/routes.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { SecretDialog } from '../../ui/dialogs/SecretDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Facts } from '../../ui/page/Facts.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Note } from '../../ui/page/Note.tsx';
import pageStyles from '../../ui/page/Page.module.css';
import { Page } from '../../ui/page/Page.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { Section } from '../../ui/page/Section.tsx';
import { Id } from '../../ui/text/CopyButton.tsx';
import { PlusIcon } from '../../ui/text/icons.tsx';
import { Time } from '../../ui/text/Time.tsx';
import { calendarDate } from '../../ui/text/times.ts';
import { PartnerBadges } from '../../widgets/badges.tsx';
import { KeyTable } from '../../widgets/KeyTable.tsx';
import { RecentDeliveries } from '../../widgets/RecentDeliveries.tsx';
import { CertifyDialog } from './CertifyDialog.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { PartnerMidoffice } from './PartnerMidoffice.tsx';
import { RenameDialog } from './RenameDialog.tsx';

type Open = 'certify' | 'suspend' | 'rename' | undefined;

export default function Partner() {
  const { id } = partnerRoute.useParams();
  const { api, queries, links, mayChange } = useEnvironment();
  const query = useLiveQuery(queries.partner(id));
  const [open, setOpen] = useState<Open>();
  const partner = query.data;
  const close = () => setOpen(undefined);

  async function setSuspended(suspended: boolean) {
    await api.partners.update(id, { suspended });
    announce(suspended ? 'The partner is suspended.' : 'The partner can make calls again.');
  }
  return (
    <Page
      title={partner?.name ?? 'Partner'}
      up={<Link {...links.partners}>Partners</Link>}
      badges={partner && <PartnerBadges partner={partner} />}
      actions={
        mayChange &&
        partner && (
          <>
            <Button onClick={() => setOpen('rename')}>Rename</Button>
            <Button onClick={() => setOpen('suspend')}>
              {partner.suspended ? 'Lift suspension' : 'Suspend'}
            </Button>
            {!partner.certified_at && (
              <Button kind="primary" onClick={() => setOpen('certify')}>
                Certify
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query}>{(shown) => <Shown partner={shown} />}</Loaded>
      {partner && open === 'certify' && <CertifyDialog partner={partner} onClose={close} />}
      {partner && open === 'rename' && (
        <RenameDialog
          title="Rename partner"
          name={partner.name}
          onClose={close}
          onRename={(name) => api.partners.update(id, { name })}
        />
      )}
      {partner && open === 'suspend' && (
        <ConfirmDialog
          title={partner.suspended ? 'Lift the suspension?' : 'Suspend this partner?'}
          submit={partner.suspended ? 'Lift suspension' : 'Suspend'}
          onClose={close}
          onConfirm={() => setSuspended(!partner.suspended)}
        >
          {partner.suspended ? (
            <p>
              All keys of {partner.name} work again within a second, except those that are disabled.
            </p>
          ) : (
            <p>
              Every call with any key of <strong>{partner.name}</strong> is refused with{' '}
              <code>api_access_disabled</code> within a second.
            </p>
          )}
        </ConfirmDialog>
      )}
    </Page>
  );
}

function Shown({ partner }: { partner: PartnerModel }) {
  const { links } = useEnvironment();
  return (
    <>
      {partner.suspended && (
        <Note kind="bad">
          This partner is suspended. Every call is refused with <code>api_access_disabled</code>.
        </Note>
      )}
      <div className={pageStyles.detail}>
        <div>
          <Keys partner={partner} />
          <RecentDeliveries
            of={{ partner_id: partner.id }}
            advice="They appear once the partner has a midoffice and the booking core posts events of its orders."
          />
        </div>
        <div>
          <Section title="Partner">
            <Facts
              facts={[
                ['Id', <Id key="i" id={partner.id} what="partner id" />],
                ['Integration since', calendarDate(partner.integration_started_on)],
                ['New to the API', partner.is_new ? 'yes' : 'no'],
                [
                  'Certified',
                  partner.certified_at ? <Time key="c" at={partner.certified_at} /> : 'not yet',
                ],
                ['Reference', partner.certification_reference ?? '–'],
                ['Created', <Time key="t" at={partner.created_at} />],
              ]}
            />
            <p className={sectionStyles.foot}>
              <Link {...links.audit({ subject: partner.id })}>Its changes</Link>
            </p>
          </Section>
          <PartnerMidoffice partner={partner} />
        </div>
      </div>
    </>
  );
}

function Keys({ partner }: { partner: PartnerModel }) {
  const { queries, mayChange } = useEnvironment();
  const query = useLiveQuery(queries.keysOf(partner.id));
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<KeyWithSecret>();
  return (
    <Section
      title="Keys"
      aside={
        mayChange && (
          <Button onClick={() => setCreating(true)}>
            <PlusIcon /> New key
          </Button>
        )
      }
    >
      <Loaded query={query}>{({ items }) => <KeyTable keys={items} />}</Loaded>
      {creating && (
        <NewKeyDialog
          partner={partner}
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created && (
        <SecretDialog
          title="The new key"
          advice="The API key is shown this once. Send both to the partner over a secure channel."
          lines={[
            ['Key id', created.key_id],
            ['API key', created.api_key],
          ]}
          onClose={() => setCreated(undefined)}
        />
      )}
    </Section>
  );
}
