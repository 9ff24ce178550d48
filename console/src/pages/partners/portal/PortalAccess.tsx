/** Who at a partner can use the portal: open sessions and links, each of which support can end. */
import type { Partner } from '../../../api/types.ts';
import { useLiveQuery } from '../../../api/use-live-query.ts';
import { usePages } from '../../../api/use-pages.ts';
import { useEnvironment } from '../../../app/environment.tsx';
import { NewButton } from '../../../ui/dialogs/NewButton.tsx';
import { MoreButton } from '../../../ui/lists/MoreButton.tsx';
import { Note } from '../../../ui/page/Note.tsx';
import { Section } from '../../../ui/page/Section.tsx';
import textStyles from '../../../ui/text/text.module.css';
import { Links } from './Links.tsx';
import { NewLinkDialog } from './NewLinkDialog.tsx';
import styles from './PortalAccess.module.css';
import { SeeAsPartner } from './SeeAsPartner.tsx';
import { Sessions } from './Sessions.tsx';

const POLL_MS = 10_000;

export function PortalAccess({ partner }: { partner: Partner }) {
  const { queries, mayChange } = useEnvironment();
  const { data: portal } = useLiveQuery(queries.portal());
  const sessions = usePages(queries.portalSessions(partner.id), POLL_MS);
  const links = usePages(queries.portalLinks(partner.id), POLL_MS);
  const isServed = portal?.url !== null;
  const open = (links.data ?? []).filter(({ state }) => state === 'open');
  const over = (links.data ?? []).filter(({ state }) => state !== 'open');
  return (
    <Section
      title="Portal"
      aside={
        mayChange &&
        isServed &&
        !partner.suspended && (
          <span className={styles.buttons}>
            <SeeAsPartner partner={partner} />
            <NewButton
              kind="plain"
              label="New link"
              dialog={(close) => <NewLinkDialog partner={partner} onClose={close} />}
            />
          </span>
        )
      }
    >
      {!isServed && (
        <Note>
          Partners cannot use the portal here: this Bellhop does not have the role{' '}
          <code>portal</code>, and <code>BELLHOP_PORTAL_URL</code> does not say where else it is
          served.
        </Note>
      )}
      {isServed && partner.suspended && (
        <Note>Nobody can sign in to the portal while the partner is suspended.</Note>
      )}
      {sessions.data?.length === 0 && (
        <p className={textStyles.dim}>Nobody of this partner is signed in.</p>
      )}
      {sessions.data && sessions.data.length > 0 && (
        <>
          <Sessions partner={partner} sessions={sessions.data} />
          <MoreButton query={sessions} />
        </>
      )}
      {open.length > 0 && <Links label="Open links" partner={partner} links={open} />}
      {over.length > 0 && (
        <details className={styles.over}>
          <summary>Earlier links</summary>
          <Links label="Earlier links" partner={partner} links={over} />
          <MoreButton query={links} />
        </details>
      )}
    </Section>
  );
}
