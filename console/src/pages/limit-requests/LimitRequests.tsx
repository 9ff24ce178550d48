/** What partners ask for in the portal: another limit. Those without an answer are tasks. */
import { actorName } from '@bellhop/rules/actor-name';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { shortPath } from '../../../../server/src/base/catalogue.ts';
import type { LimitRequest } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { limitRequestFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { Button } from '../../ui/forms/Button.tsx';
import { FilterSelect } from '../../ui/forms/Filters.tsx';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Empty } from '../../ui/page/Empty.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { Id } from '../../ui/text/CopyButton.tsx';
import { Ago } from '../../ui/text/Time.tsx';
import { LimitRequestBadge } from '../../widgets/badges.tsx';
import { asLimit, limitInWords } from '../../widgets/limit-words.ts';
import { PartnerLink } from '../../widgets/NameLink.tsx';
import { PartnerFilter } from '../../widgets/PartnerFilter.tsx';
import { words } from '../../words/words.ts';
import { AnswerDialog } from './AnswerDialog.tsx';

const POLL_MS = 10_000;

export default function LimitRequests() {
  const { queries } = useEnvironment();
  const filter = useFilters(limitRequestFilters);
  const requests = usePages(queries.limitRequests(filter.filters), POLL_MS);
  const [answering, setAnswering] = useState<LimitRequest>();
  return (
    <>
      <ListPage
        title="Limit requests"
        about="Limits that partners ask for in the portal. They are told the answer."
        list={requests}
        isLive
        filter={filter}
        fields={
          <>
            <FilterSelect
              label="Answer"
              options={words.states.limitRequests}
              {...filter.of('state')}
            />
            <PartnerFilter {...filter} />
          </>
        }
      >
        {(shown) =>
          shown.length === 0 ? (
            <NoRequest isFiltered={filter.isFiltered} />
          ) : (
            <div className={sectionStyles.panel}>
              <ul className={rowsStyles.rows}>
                {shown.map((request) => (
                  <Row key={request.id} request={request} onAnswer={() => setAnswering(request)} />
                ))}
              </ul>
            </div>
          )
        }
      </ListPage>
      {answering && <AnswerDialog request={answering} onClose={() => setAnswering(undefined)} />}
    </>
  );
}

function Row({ request, onAnswer }: { request: LimitRequest; onAnswer(): void }) {
  const { links, mayChange } = useEnvironment();
  const { id, key_id, endpoint, partner_id, reason, at, state } = request;
  return (
    <li className={`${rowsStyles.row} ${rowsStyles.stacks}`}>
      <div className={rowsStyles.main}>
        <p>
          <PartnerLink id={partner_id} /> asks for <strong>{limitInWords(asLimit(request))}</strong>{' '}
          of <code>{shortPath(endpoint)}</code> with key{' '}
          <Link {...links.key(key_id)}>{key_id}</Link>
        </p>
        <p>“{reason}”</p>
        <Answer request={request} />
        <div className={rowsStyles.note}>
          <Id id={id} what="reference" />
        </div>
      </div>
      <div className={rowsStyles.side}>
        <span className={rowsStyles.note}>
          <Ago at={at} />
        </span>
        {state === 'open' && mayChange && <Button onClick={onAnswer}>Answer…</Button>}
      </div>
    </li>
  );
}

function Answer({ request }: { request: LimitRequest }) {
  const { state, text, answered_at, answered_by, approval_reference } = request;
  return (
    <p className={rowsStyles.note}>
      <LimitRequestBadge state={state} />{' '}
      {answered_by !== null && answered_at !== null && (
        <>
          by {actorName(answered_by)} <Ago at={answered_at} />
          {approval_reference !== null && `, ${approval_reference}`}
          {text !== null && `: “${text}”`}
        </>
      )}
    </p>
  );
}

function NoRequest({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No request matches these filters." />;
  return (
    <Empty title="No partner has asked for another limit yet.">
      Partners ask on the page Limits of the portal.
    </Empty>
  );
}
