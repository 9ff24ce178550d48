import type { Partner, PortalLink, PortalLinkState } from '../../../api/types.ts';
import { useEnvironment } from '../../../app/environment.tsx';
import { Badge, type Tone } from '../../../ui/text/Badge.tsx';
import { Ago } from '../../../ui/text/Time.tsx';
import { Actor } from '../../../widgets/AuditList.tsx';
import { mailInWords } from '../mail-in-words.ts';
import { AccessRow, AccessRows } from './AccessRows.tsx';
import { scopesInWords } from './scopes.ts';

const tones: Record<PortalLinkState, Tone> = {
  open: 'accent',
  used: 'good',
  expired: 'calm',
  withdrawn: 'calm',
};

interface Props {
  label: string;
  partner: Partner;
  links: readonly PortalLink[];
}

/** Links to the portal. One that was not used can be ended. */
export function Links({ label, partner, links }: Props) {
  const { call } = useEnvironment();
  return (
    <AccessRows label={label}>
      {links.map((link) => (
        <AccessRow
          key={link.id}
          head={
            <>
              <Badge tone={tones[link.state]}>{link.state}</Badge> made <Ago at={link.created_at} />{' '}
              by <Actor actor={link.created_by} />
            </>
          }
          ending={
            link.state === 'open'
              ? {
                  what: 'the link',
                  title: 'End this link?',
                  text: 'Nobody can sign in with it any more. A new link can be made at any time.',
                  done: 'The link has ended.',
                  end: () => call('endPortalLink', { id: partner.id, link_id: link.id }),
                }
              : undefined
          }
        >
          {link.is_preview ? 'To see as the partner' : `May: ${scopesInWords(link.scopes)}`} ·{' '}
          <WhenOver link={link} />
          {link.mail && <> · {mailInWords(link.mail)}</>}
        </AccessRow>
      ))}
    </AccessRows>
  );
}

function WhenOver({ link }: { link: PortalLink }) {
  const { used_at, withdrawn_at, expires_at, state } = link;
  const at = used_at ?? withdrawn_at ?? expires_at;
  const verb = { open: 'expires', used: 'used', expired: 'expired', withdrawn: 'withdrawn' }[state];
  return (
    <>
      {verb} <Ago at={at} />
    </>
  );
}
