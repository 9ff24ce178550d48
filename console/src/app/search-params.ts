/**
 * Query parameters as plain text: `?partner_order_id=4711` means the text "4711", and addresses look
 * as people would write them.
 */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { isNamedSpan, timesOf } from '../ui/forms/spans.ts';
import { useNow } from '../ui/text/Time.tsx';
import { today } from '../ui/text/time-input.ts';
import { useZone } from '../ui/text/zone.ts';

export type TextParams<Name extends string> = { [name in Name]?: string };

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text && `?${text}`;
}

/** For `validateSearch`: a route's parameters by name. An empty one counts as missing. */
export function textParams<Name extends string>(names: readonly Name[]) {
  return (search: Record<string, unknown>): TextParams<Name> =>
    Object.fromEntries(names.map((name) => [name, textOf(search[name])])) as TextParams<Name>;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export interface Filters<Name extends string> {
  /** Only those that are set, as the address has them. */
  given: TextParams<Name>;
  /** As the server takes them: a named span is a time to begin at and, perhaps, one to end at. */
  filters: TextParams<Exclude<Name, 'span'>>;
  /** Changes some of them in place; an empty text removes one. */
  change(changes: TextParams<Name>): void;
  /** What a field for one of them needs. */
  of(name: Exclude<Name, 'span'>): { value: string | undefined; onChange(value: string): void };
  isFiltered: boolean;
  clear(): void;
}

/** The filters of the route that is shown, which live in the address. */
export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const given = useMemo(() => {
    const all = names.map((name) => [name, textOf(search[name])] as const);
    return Object.fromEntries(all.filter(([, value]) => value)) as TextParams<Name>;
  }, [search, names]);
  const change = useCallback(
    (changes: TextParams<Name>) =>
      void navigate({
        to: '.',
        search: (was: object) => ({ ...was, ...changes }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const filters = useTimes(given);
  return {
    given,
    filters,
    change,
    of: (name) => ({
      value: filters[name],
      onChange: (value) => change({ [name]: value } as TextParams<Name>),
    }),
    isFiltered: Object.keys(given).length > 0,
    clear: () => change(Object.fromEntries(names.map((name) => [name, ''])) as TextParams<Name>),
  };
}

const DAY_CHECK_MS = 60_000;

/** A named span is counted from when it was chosen, and again on the next day: a list must not shift while it is read. */
function useTimes<Name extends string>(given: TextParams<Name>): TextParams<Exclude<Name, 'span'>> {
  const zone = useZone();
  useNow(DAY_CHECK_MS);
  const day = today();
  // Depends on the zone and the day, too.
  return useMemo(() => {
    const { span, ...others }: TextParams<string> = given;
    return { ...others, ...(isNamedSpan(span) && timesOf(span, Date.now())) };
  }, [given, zone, day]) as TextParams<Exclude<Name, 'span'>>;
}
