/** One key: rotate it, see which of its API keys are used, and say where it may be used from. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { SecretDialog } from '../../../../console/src/ui/dialogs/SecretDialog.tsx';
import { TextDialog } from '../../../../console/src/ui/dialogs/TextDialog.tsx';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import { Facts } from '../../../../console/src/ui/page/Facts.tsx';
import { Loaded } from '../../../../console/src/ui/page/Loaded.tsx';
import pageStyles from '../../../../console/src/ui/page/Page.module.css';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import sectionStyles from '../../../../console/src/ui/page/Section.module.css';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { Time } from '../../../../console/src/ui/text/Time.tsx';
import { KeyBadge } from '../../../../console/src/widgets/badges.tsx';
import { RotateDialog } from '../../../../console/src/widgets/RotateDialog.tsx';
import type { ApiKeyInForce, KeyWithSecret, OwnKey } from '../../api/types.ts';
import { keyRoute } from '../../app/routes.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { AllowListDialog } from './AllowListDialog.tsx';
import { ApiKeys } from './ApiKeys.tsx';
import styles from './Key.module.css';
import { LastUsed } from './LastUsed.tsx';

const POLL_MS = 10_000;
type Open = 'rotate' | 'label' | 'allow-list';

export default function Key() {
  const { id } = keyRoute.useParams();
  const { me, call, queries, links, may } = useView();
  const query = useLiveQuery(queries.key(id), POLL_MS);
  const { data: apiKeys } = useLiveQuery(queries.apiKeys(id), POLL_MS);
  const inForce = apiKeys?.items ?? [];
  const [open, setOpen] = useState<Open>();
  const [rotated, setRotated] = useState<KeyWithSecret>();
  const close = () => setOpen(undefined);
  const key = query.data;
  return (
    <Page
      title={`${me.partner.name} · ${key?.label ?? words.keys.of(id)}`}
      up={<Link {...links.keys}>{words.pages.keys}</Link>}
      badges={key && <KeyBadge apiKey={key} />}
      actions={
        key &&
        key.revoked_at === null &&
        may('keys') && (
          <>
            <Button onClick={() => setOpen('label')}>{words.keys.editLabel}</Button>
            <Button kind="primary" onClick={() => setOpen('rotate')}>
              {words.keys.rotate}
            </Button>
          </>
        )
      }
    >
      <Loaded query={query}>
        {(data) => (
          <Shown apiKey={data} inForce={inForce} onAllowList={() => setOpen('allow-list')} />
        )}
      </Loaded>
      {open === 'rotate' && key && (
        <RotateDialog
          apiKey={key}
          inForce={inForce}
          rotate={(body) => call('rotateKey', { key_id: id, body })}
          onClose={close}
          onRotated={(withSecret) => {
            close();
            setRotated(withSecret);
          }}
        />
      )}
      {open === 'label' && key && (
        <TextDialog
          title={words.keys.editLabel}
          submit={words.keys.allowSubmit}
          label={words.keys.label}
          field="label"
          initial={key.label ?? ''}
          onClose={close}
          onSave={async (label) => {
            await call('updateKey', { key_id: id, body: { label } });
            announce(words.keys.labelSaved);
          }}
        />
      )}
      {open === 'allow-list' && key && <AllowListDialog apiKey={key} onClose={close} />}
      {rotated && (
        <SecretDialog
          title={words.keys.rotated(id)}
          advice={words.keys.rotatedAdvice}
          lines={[
            [words.keys.keyId, rotated.key_id],
            [words.keys.apiKey, rotated.api_key],
          ]}
          onClose={() => setRotated(undefined)}
        />
      )}
    </Page>
  );
}

interface ShownProps {
  apiKey: OwnKey;
  inForce: readonly ApiKeyInForce[];
  onAllowList(): void;
}

function Shown({ apiKey, inForce, onAllowList }: ShownProps) {
  const { links, may } = useView();
  const { key_id, label, created_at, expires_at, last_used_at, allowed_ips } = apiKey;
  const mayChange = may('keys') && apiKey.revoked_at === null;
  return (
    <div className={pageStyles.detail}>
      <div>
        <ApiKeys inForce={inForce} />
        <Section
          title={words.keys.allowList}
          aside={mayChange && <Button onClick={onAllowList}>{words.keys.editAllowList}</Button>}
        >
          {allowed_ips === null ? (
            <p>{words.keys.everyAddress}</p>
          ) : (
            <ul className={styles.addresses}>
              {allowed_ips.map((address) => (
                <li key={address}>
                  <code>{address}</code>
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
      <Section title={words.keys.facts}>
        <Facts
          facts={[
            [words.keys.keyId, <code key="k">{key_id}</code>],
            [words.keys.label, label ?? '–'],
            [words.keys.lastUsed, <LastUsed key="u" at={last_used_at} />],
            [words.keys.expires, expires_at ? <Time key="e" at={expires_at} /> : words.keys.never],
            [words.keys.created, <Time key="c" at={created_at} />],
          ]}
        />
        <p className={sectionStyles.foot}>
          <Link {...links.limits(key_id)}>{words.keys.limits}</Link>
          <Link {...links.refusals({ key_id })}>{words.keys.refusals}</Link>
        </p>
      </Section>
    </div>
  );
}
