/** The limits that were asked for with a key, the newest first, and what API support answered. */
import { pathOf } from '@bellhop/rules/endpoint-path';
import { usePages } from '../../../../console/src/api/use-pages.ts';
import rowsStyles from '../../../../console/src/ui/lists/Rows.module.css';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { Id } from '../../../../console/src/ui/text/CopyButton.tsx';
import { Ago } from '../../../../console/src/ui/text/Time.tsx';
import { LimitRequestBadge } from '../../../../console/src/widgets/badges.tsx';
import { asLimit, limitInWords } from '../../../../console/src/widgets/limit-words.ts';
import type { OwnLimitRequest } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const POLL_MS = 10_000;
/** Shown at once: the page is about limits. */
const SHOWN = 3;

export function Requests({ keyId }: { keyId: string }) {
  const { queries } = useView();
  const { data = [] } = usePages(queries.limitRequests(), POLL_MS);
  const all = data.filter(({ key_id }) => key_id === keyId);
  const earlier = all.slice(SHOWN);
  if (all.length === 0) return null;
  return (
    <Section title={words.limits.requests}>
      <List requests={all.slice(0, SHOWN)} />
      {earlier.length > 0 && (
        <details>
          <summary>{words.limits.earlier(earlier.length)}</summary>
          <List requests={earlier} />
        </details>
      )}
    </Section>
  );
}

function List({ requests }: { requests: OwnLimitRequest[] }) {
  return (
    <ul className={rowsStyles.rows}>
      {requests.map((request) => (
        <li key={request.id} className={`${rowsStyles.row} ${rowsStyles.stacks}`}>
          <div className={rowsStyles.main}>
            <p>
              <strong>
                {words.limits.request(limitInWords(asLimit(request)), pathOf(request.endpoint))}
              </strong>{' '}
              <LimitRequestBadge state={request.state} />
            </p>
            <p>“{request.reason}”</p>
            {request.text !== null && <p>{words.limits.answer(request.text)}</p>}
            <div className={rowsStyles.note}>
              <Id id={request.id} what={words.limits.reference} />
            </div>
          </div>
          <div className={`${rowsStyles.side} ${rowsStyles.note}`}>
            <Ago at={request.answered_at ?? request.at} />
          </div>
        </li>
      ))}
    </ul>
  );
}
