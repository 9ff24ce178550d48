/**
 * An entry of the audit as a sentence that goes on after the actor: "raised search/hp/ for Blue Horizon (live) from 5 to
 * 20 a minute, TICKET-1204". A field has the words of `field-names.ts`, or else its own name.
 */
import { auditActionOf } from './audit-actions.ts';
import { describeGrant } from './describe-grant.ts';
import { type Difference, differencesIn, fieldsOf } from './differences.ts';
import { pathOf } from './endpoint-path.ts';
import { fieldInWords } from './field-names.ts';
import {
  clipped,
  deliveriesInWords,
  inDigits,
  type Names,
  ordersInWords,
  valueInWords,
  windowInWords,
} from './value-words.ts';

export type { Names };

export interface Described {
  sentence: string;
  /** As the sentence has it. */
  subject_name: string;
}

interface Entry {
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
}

export function describeChange(entry: Entry, names: Names): Described {
  const { subject, before, after } = entry;
  const details = fieldsOf(after);
  const written = details.name ?? fieldsOf(before).name;
  const subject_name = names.get(subject) ?? (typeof written === 'string' ? written : subject);
  const said = sentenceOf(entry, subject_name, names);
  const leftOut = fieldsOf(details.left_out ?? fieldsOf(before).left_out);
  const isCut = differencesIn(before, after).some(({ field }) => field in leftOut);
  const remarks = [details.approval_reference, details.reason].filter(
    (one) => typeof one === 'string',
  );
  const sentence = [
    typeof details.reverts === 'string' ? `undid a change: ${said}` : said,
    ...remarks,
    ...(isCut ? ['recorded in part'] : []),
  ];
  return { sentence: sentence.join(', '), subject_name };
}

function sentenceOf(entry: Entry, name: string, names: Names): string {
  const { action, before, after } = entry;
  const plain = auditActionOf(action).did.replace('{}', () => name);
  const details = fieldsOf(after);
  switch (action) {
    case 'partner.update':
    case 'key.update':
    case 'midoffice.update':
      return updated(entry, action === 'key.update' ? `the key ${name}` : name, names);
    case 'key.grant':
    case 'key.withdraw':
      return describeGrant(before, after, name) ?? plain;
    case 'limit_request.create':
      return `asked for ${limitAsked(details)} for ${name}`;
    case 'limit_request.answer':
      return `${details.granted === true ? 'granted' : 'refused'} another limit${of(details)} for ${name}`;
    case 'delivery.fast_forward': {
      const waits = Number(details.waits_skipped ?? 1);
      return waits > 1
        ? `skipped ${inDigits(waits)} waits for the next attempts of ${name}`
        : plain;
    }
    case 'midoffice.recover':
    case 'partner.recover':
      return `sent ${deliveries(details.requeued)} of ${name} again${ending(details, details.requeued)}`;
    case 'midoffice.send_pending':
    case 'partner.send_pending':
      return `sent ${deliveries(details.sent)} that waited for ${name}${unlessDone(details)}`;
    case 'deliveries.retry':
    case 'deliveries.cancel':
    case 'deliveries.acknowledge':
      return `${didToMany[action](deliveries(details.changed))}${found(details, names)}${ending(details, details.changed)}`;
    case 'portal_link.create':
      return typeof details.mailed_to === 'string'
        ? `${plain}, mailed to ${details.mailed_to}`
        : plain;
    case 'portal_session.open':
      return `${plain}${openedHow(details)}`;
    default:
      return plain;
  }
}

/** What was done to many deliveries, at once or one by one. */
export const didToMany = {
  'deliveries.retry': (deliveries: string) => `sent ${deliveries} again`,
  'deliveries.cancel': (deliveries: string) => `cancelled ${deliveries}`,
  'deliveries.acknowledge': (deliveries: string) => `acknowledged ${deliveries}`,
};

/** So that people notice a sign-in that was not theirs. */
function openedHow({ came_by, key_id, address }: Record<string, unknown>): string {
  const ways: Record<string, string> = {
    link: ' with a link',
    key: ` with key ${key_id}`,
    support: ' to see what the partner sees',
  };
  return `${ways[String(came_by)] ?? ''}${typeof address === 'string' ? `, from ${address}` : ''}`;
}

/** Flags read better as verbs. */
const flags: Record<string, [on: string, off: string]> = {
  suspended: ['suspended', 'resumed'],
  paused: ['paused', 'resumed'],
  disabled: ['disabled', 'enabled'],
};

function updated({ before, after }: Entry, name: string, names: Names): string {
  const changes = differencesIn(before, after);
  const [only, ...others] = changes;
  if (!only) return `saved ${name} without a change`;
  const flag = flags[only.field];
  if (flag && others.length === 0) return `${only.after ? flag[0] : flag[1]} ${name}`;
  const fromTo = ({ field, before, after }: Difference) =>
    `from ${valueInWords(field, before, names)} to ${valueInWords(field, after, names)}`;
  if (others.length === 0)
    return `changed the ${fieldInWords(only.field)} of ${name} ${fromTo(only)}`;
  const each = changes.map((one) => `${fieldInWords(one.field)} ${fromTo(one)}`);
  return `changed ${name}: ${each.join('; ')}`;
}

/** "40 a minute of search/hp/". */
function limitAsked(details: Record<string, unknown>): string {
  const { requests_number: requests, seconds_number: seconds } = details;
  const limit =
    typeof requests === 'number' && typeof seconds === 'number'
      ? `${inDigits(requests)} ${windowInWords(seconds)}`
      : 'another limit';
  return `${limit}${of(details)}`;
}

function of({ endpoint }: Record<string, unknown>): string {
  return typeof endpoint === 'string' ? ` of ${pathOf(endpoint)}` : '';
}

function deliveries(count: unknown): string {
  return deliveriesInWords(typeof count === 'number' ? count : 0);
}

/** Which orders, as far as the entry names them, and whether it came to its end. */
function ending(details: Record<string, unknown>, count: unknown): string {
  return `${ordersIn(details, Number(count))}${unlessDone(details)}`;
}

/** If some were left out, nobody knows whether it was one of those. */
function ordersIn({ orders, expected }: Record<string, unknown>, count: number): string {
  if (!Array.isArray(orders) || orders.length === 0 || count !== (expected ?? count)) return '';
  return `: ${ordersInWords(
    orders.map((order) => clipped(String(order))),
    count,
  )}`;
}

function unlessDone({ done }: Record<string, unknown>): string {
  return done === false ? ', not finished' : '';
}

/** What the filter of a change of many was. */
function found({ filter }: Record<string, unknown>, names: Names): string {
  const { until: _, selected, ids, ...fields } = fieldsOf(filter);
  const conditions = Object.entries(fields).map(
    ([field, value]) => `${fieldInWords(field)} ${valueInWords(field, value, names)}`,
  );
  if (ids) conditions.unshift(`${inDigits(Number(selected))} selected`);
  return conditions.length === 0 ? '' : ` (${conditions.join(', ')})`;
}
