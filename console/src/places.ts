/** The console's addresses: one place that knows where each thing is shown. */
import type { Environment } from './model.ts';

export interface Places {
  home: string;
  partners: string;
  partner(id: string): string;
  key(id: string): string;
  keys: string;
  midoffices: string;
  midoffice(id: string): string;
  deliveries(filters?: Record<string, string>): string;
  delivery(id: string): string;
  audit(filters?: Record<string, string>): string;
  tokens: string;
}

export function placesOf(environment: Environment): Places {
  const base = `/${environment}`;
  const one = (kind: string) => (id: string) => `${base}/${kind}/${encodeURIComponent(id)}`;
  const filtered =
    (kind: string) =>
    (filters: Record<string, string> = {}) => {
      const query = new URLSearchParams(filters).toString();
      return `${base}/${kind}${query && `?${query}`}`;
    };
  return {
    home: base,
    partners: `${base}/partners`,
    partner: one('partners'),
    keys: `${base}/keys`,
    key: one('keys'),
    midoffices: `${base}/midoffices`,
    midoffice: one('midoffices'),
    deliveries: filtered('deliveries'),
    delivery: one('deliveries'),
    audit: filtered('audit'),
    tokens: `${base}/tokens`,
  };
}

/** Where the subject of an audit entry is shown, judged by the form of its id. */
export function placeOfSubject(places: Places, subject: string): string | undefined {
  if (subject.startsWith('par_')) return places.partner(subject);
  if (subject.startsWith('mid_')) return places.midoffice(subject);
  if (subject.startsWith('del_')) return places.delivery(subject);
  if (/^\d+$/.test(subject)) return places.key(subject);
  return undefined;
}
