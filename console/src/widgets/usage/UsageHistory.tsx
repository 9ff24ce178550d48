/** How a key, or all keys of a partner, were used. */
import { Link, useNavigate } from '@tanstack/react-router';
import { readCsv } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.tsx';
import type { CallSpan } from './calls-opening.ts';
import { saveFile } from './save-file.ts';
import { UsageSection } from './UsageSection.tsx';

type Of = { key_id: string } | { partner_id: string };

export function UsageHistory({ of }: { of: Of }) {
  const { environment, queries, links } = useEnvironment();
  const navigate = useNavigate();
  const callsIn = (span: CallSpan) => links.calls({ ...of, ...span });
  const isKey = 'key_id' in of;
  const id = isKey ? of.key_id : of.partner_id;
  return (
    <UsageSection
      source={(step) => (isKey ? queries.keyHistory(id, step) : queries.partnerHistory(id, step))}
      save={async (step) => {
        const query = { step };
        const csv = isKey
          ? await readCsv('getKeyHistory', { environment, key_id: id, query })
          : await readCsv('getPartnerHistory', { environment, id, query });
        saveFile(csv, `usage-${id}-by-${step}.csv`);
      }}
      calls={{
        open: (span) => void navigate(callsIn(span)),
        link: (span, text) => <Link {...callsIn(span)}>{text}</Link>,
      }}
    />
  );
}
