/**
 * A made-up system that a company moves from: agencies with credentials of their own, limits that were raised for some
 * of them, and the receivers of their webhooks. The same numbers always make the same system.
 */
import { createHash } from 'node:crypto';

export interface OldSystem {
  keys: number;
  keysPerPartner?: number;
  /** Every how many partners one has a midoffice. */
  midofficeEvery?: number;
  /** Every how many keys one has a limit of its own. */
  raisedEvery?: number;
  /** The first key id. */
  from?: number;
}

export function oldKeyId(system: OldSystem, n: number): string {
  return String((system.from ?? 7_000_000) + n);
}

/** Not a UUID: every old system has its own form. */
export function oldApiKey(n: number): string {
  return `old-${createHash('sha256').update(`key ${n}`).digest('hex').slice(0, 32)}`;
}

/** NDJSON, as an import takes it, in parts of many lines. */
export function* oldSystemLines(system: OldSystem): Generator<string> {
  const { keys, keysPerPartner = 5, midofficeEvery = 4, raisedEvery = 10 } = system;
  let part = '';
  const line = (record: object) => {
    part += `${JSON.stringify(record)}\n`;
  };
  for (let n = 0; n < keys; n++) {
    const partner = Math.floor(n / keysPerPartner);
    const partnerRef = `agency-${system.from ?? 0}-${partner}`;
    const hasMidoffice = partner % midofficeEvery === 0;
    if (n % keysPerPartner === 0) {
      line({
        kind: 'partner',
        ref: partnerRef,
        name: `Agency ${partner}`,
        integration_started_on: '2019-04-01',
        certified_at: '2019-06-30T12:00:00Z',
        certification_reference: `CERT-${partner}`,
        ...(hasMidoffice && { midoffice_ref: `receiver of ${partnerRef}` }),
      });
      if (hasMidoffice) {
        line({
          kind: 'midoffice',
          ref: `receiver of ${partnerRef}`,
          name: `Agency ${partner}, webhooks`,
          url: 'http://127.0.0.1:9/hook',
          signing_key_ref: oldKeyId(system, n),
          delivery_order: 'per_order',
        });
      }
    }
    line({
      kind: 'key',
      key_id: oldKeyId(system, n),
      partner_ref: partnerRef,
      api_key: oldApiKey(n),
      label: `credential ${n}`,
      allowed_ips: n % 7 === 0 ? ['127.0.0.0/8', '::1'] : null,
      disabled: n % 1_000 === 999,
    });
    if (n % raisedEvery === 0) {
      line({
        kind: 'grant',
        key_ref: oldKeyId(system, n),
        endpoint: 'api/b2b/v3/search/hp/',
        requests_number: 20 + (n % 100),
        seconds_number: 60,
        approval_reference: 'OLD-CONTRACT',
      });
    }
    if (part.length > 65_536) {
      yield part;
      part = '';
    }
  }
  yield part;
}
