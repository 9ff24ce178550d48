/** One partner: its status, its keys, and where its webhooks go. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { KeyWithSecret, Partner as PartnerModel } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { partnerRoute } from '../../app/routes.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { NewButton } from '../../ui/dialogs/NewButton.tsx';
import { TextDialog } from '../../ui/dialogs/TextDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { announce } from '../../ui/page/announce.ts';
import { Facts } from '../../ui/page/Facts.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Note } from '../../ui/page/Note.tsx';
import pageStyles from '../../ui/page/Page.module.css';
import { Page } from '../../ui/page/Page.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { Section } from '../../ui/page/Section.tsx';
import { Id } from '../../ui/text/CopyButton.tsx';
import { Time } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { calendarDate } from '../../ui/text/times.ts';
import { PartnerBadges } from '../../widgets/badges.tsx';
import { KeyDialog } from '../../widgets/KeyDialog.tsx';
import { KeySecretDialog } from '../../widgets/KeySecretDialog.tsx';
import { KeyTable } from '../../widgets/KeyTable.tsx';
import { RecentDeliveries } from '../../widgets/RecentDeliveries.tsx';
import { UsageHistory } from '../../widgets/usage/UsageHistory.tsx';
import { PartnerMidoffice } from './PartnerMidoffice.tsx';

type Open = 'certify' | 'suspend' | 'rename' | undefined;

export default function Partner() {
  const { id } = partnerRoute.useParams();
  const { api, queries, links, mayChange } = useEnvironment();
  const query = useLiveQuery(queries.partner(id));
  const [open, setOpen] = useState<Open>();
  const partner = query.data;
  const close = () => setOpen(undefined);

  async function certify(reference: string) {
    const { name } = await api.partners.certify(id, reference);
    announce(`${name} is certified.`);
  }
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
      {partner && open === 'certify' && (
        <TextDialog
          title={`Certify ${partner.name}`}
          submit="Record certification"
          label="Reference"
          hint="Where the certification is documented, such as a ticket or a report."
          field="reference"
          onSave={certify}
          onClose={close}
        >
          <p className={textStyles.prose}>
            Records that the partner has completed certification. After that, its limits can be
            raised.
          </p>
        </TextDialog>
      )}
      {partner && open === 'rename' && (
        <TextDialog
          title="Rename partner"
          submit="Save"
          label="Name"
          field="name"
          initial={partner.name}
          onSave={(name) => api.partners.update(id, { name })}
          onClose={close}
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
          <UsageHistory of={{ partner_id: partner.id }} />
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
              <Link {...links.audit({ subject: partner.id })}>Changes in the audit</Link>
            </p>
          </Section>
          <PartnerMidoffice partner={partner} />
        </div>
      </div>
    </>
  );
}

function Keys({ partner }: { partner: PartnerModel }) {
  const { api, queries, mayChange, environment } = useEnvironment();
  const query = useLiveQuery(queries.keysOf(partner.id));
  const [created, setCreated] = useState<KeyWithSecret>();
  return (
    <Section
      title="Keys"
      aside={
        mayChange && (
          <NewButton
            kind="plain"
            label="New key"
            dialog={(close) => (
              <KeyDialog
                title={`New ${environment} key for ${partner.name}`}
                submit="Create key"
                onClose={close}
                save={(fields) => api.partners.createKey(partner.id, fields)}
                onSaved={(key) => {
                  close();
                  setCreated(key);
                }}
              >
                <p className={fieldStyles.hint}>
                  The key gets all 43 endpoints with the default limits. Change them on the key's
                  page.
                </p>
              </KeyDialog>
            )}
          />
        )
      }
    >
      <Loaded query={query}>{({ items }) => <KeyTable keys={items} />}</Loaded>
      {created && (
        <KeySecretDialog
          title="The new key"
          apiKey={created}
          onClose={() => setCreated(undefined)}
        />
      )}
    </Section>
  );
}
