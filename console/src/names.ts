/** Names for the ids in lists: those of the newest at once, any other once it is asked for. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useDesk } from './desk.tsx';
import { useReading } from './live.ts';
import type { Page } from './model.ts';

const NEWEST = 200;
const FOUND = 20;

export interface Named {
  id: string;
  name: string;
}

export interface Names {
  /** The id itself until its name is known. */
  of(id: string): string;
  /** Those with this in their name, newest first. */
  search(name: string): Promise<Named[]>;
}

interface Source {
  list(query: { name?: string; limit: number }): Promise<Page<Named>>;
  get(id: string): Promise<Named>;
}

export function useMidofficeNames(): Names {
  const { api } = useDesk();
  return useNames('mid_', api.midoffices);
}

export function usePartnerNames(): Names {
  const { api } = useDesk();
  return useNames('par_', api.partners);
}

function useNames(prefix: string, source: Source): Names {
  const { data: newest } = useReading(`names ${prefix}`, () => source.list({ limit: NEWEST }));
  const [older, setOlder] = useState<ReadonlyMap<string, string>>(new Map());
  const wanted = useRef(new Set<string>());
  const asked = useRef(new Set<string>());

  // Whoever shows an id calls `of` while it is drawn; what was not known then is asked for here.
  useEffect(() => {
    if (!newest) return;
    for (const id of wanted.current) {
      if (asked.current.has(id)) continue;
      asked.current.add(id);
      source.get(id).then(
        ({ name }) => setOlder((was) => new Map(was).set(id, name)),
        // Then its id is all there is to show.
        () => undefined,
      );
    }
    wanted.current.clear();
  });

  const byId = useMemo(
    () => new Map([...older, ...(newest?.items ?? []).map(({ id, name }) => [id, name] as const)]),
    [newest, older],
  );
  const of = useCallback(
    (id: string) => {
      const name = byId.get(id);
      if (name === undefined && id.startsWith(prefix)) wanted.current.add(id);
      return name ?? id;
    },
    [byId, prefix],
  );
  const search = useCallback(
    async (name: string) => (await source.list({ name, limit: FOUND })).items,
    [source],
  );
  return { of, search };
}
