/** Finds anything: an order id, a partner, a key, a midoffice, a delivery, a request id; in the other environment, too. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callIn } from '../api/client.ts';
import { queriesOf } from '../api/queries.ts';
import type { Environment, Found } from '../api/types.ts';
import { useDebounced } from '../api/use-debounced.ts';
import { problemOf } from '../api/use-live-query.ts';
import { useEnvironment } from '../app/environment.tsx';
import { linksOf } from '../app/links.ts';
import { useSession } from '../app/session.tsx';
import type { Entry } from './palette/entries.ts';
import { hitsInWords } from './palette/hits-in-words.ts';
import { Palette } from './palette/Palette.tsx';
import { usePlaces } from './use-places.ts';

const PAUSE_MS = 180;
const MOST_ELSEWHERE = 5;
const NONE: readonly Found[] = [];

export function SearchBox() {
  const { environment } = useEnvironment();
  const [text, setText] = useState('');
  const { found, isSearching, status } = useFound(text.trim());
  const elsewhere = useFoundElsewhere(isSearching ? '' : text.trim());
  return (
    <Palette
      label={`Search ${environment}`}
      placeholder="Order, partner, key, midoffice, request id…"
      text={text}
      onText={setText}
      places={usePlaces()}
      found={[
        { title: `In ${environment}`, entries: useEntries(environment, found) },
        { title: elsewhere.title, entries: useEntries(elsewhere.environment, elsewhere.found) },
      ]}
      isSearching={isSearching}
      status={status}
    />
  );
}

interface Result {
  found: readonly Found[];
  /** There are no results for this text yet. */
  isSearching: boolean;
  status: string;
}

/** The results for this text; none while they are still those of an earlier text. */
function useFound(text: string): Result {
  const { queries, environment } = useEnvironment();
  const asked = useDebounced(text, PAUSE_MS);
  const query = useQuery({ ...queries.search(asked), enabled: asked !== '' });
  const problem = problemOf(query);
  if (text === '') return { found: NONE, isSearching: false, status: '' };
  if (asked !== text) return { found: NONE, isSearching: true, status: 'Searching…' };
  if (problem) return { found: NONE, isSearching: false, status: problem.message };
  if (!query.data) return { found: NONE, isSearching: true, status: 'Searching…' };
  const found = query.data.items;
  const status = found.length === 0 ? `Nothing in ${environment} has this id or name.` : '';
  return { found, isSearching: false, status };
}

/** In the other environment, once this one has answered. A search there that fails is left out. */
function useFoundElsewhere(text: string) {
  const here = useEnvironment().environment;
  const [other = here] = useSession().environments.filter((one) => one !== here);
  const query = useQuery({
    ...queriesOf(other, callIn(other)).search(text),
    enabled: text !== '' && other !== here,
  });
  const all = text === '' || other === here ? NONE : (query.data?.items ?? NONE);
  const found = all.slice(0, MOST_ELSEWHERE);
  const title =
    all.length > MOST_ELSEWHERE
      ? `In ${other}: more than ${MOST_ELSEWHERE}`
      : `In ${other}: ${hitsInWords(all)}`;
  return { environment: other, found, title };
}

function useEntries(environment: Environment, found: readonly Found[]): Entry[] {
  const navigate = useNavigate();
  const links = linksOf(environment);
  return found.map(({ kind, id, title, detail }) => ({
    id: `${environment} ${kind} ${id}`,
    kind,
    title,
    detail,
    open: () => void navigate(links[kind](id)),
  }));
}
