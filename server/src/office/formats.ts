/**
 * Formats of strings, most of them beyond those of JSON Schema. The validator knows them by name; readers of the
 * OpenAPI document get a pattern instead, which every generator and validator understands.
 */
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { catalogue } from '../base/catalogue.ts';
import { HIDDEN_MARKS, withoutHiddenMarks } from '../base/hidden-marks.ts';
import { DELIVERY_ID, deliverySeq } from '../delivery/orders/order-event.ts';
import { BY_NUMBER, BY_NUMBER_OR_TEXT } from '../resources/page.ts';
import { EXAMPLE_OWN_ID, OWN_DELIVERY_ID } from '../resources/portal/delivery-ids.ts';

/** The spelling of an address or a network (CIDR) as a regular expression, for documents that only know those. */
const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const ipv4 = `${octet}(\\.${octet}){3}`;

const group = '[0-9A-Fa-f]{1,4}';
/** Up to seven groups, a double colon in place of the others, and again up to seven; eight without it. */
const ipv6 = [
  `(${group}:){7}${group}`,
  ...[7, 6, 5, 4, 3, 2, 1].map((before) => `(${group}:){1,${before}}${after(7 - before)}`),
  `:${after(7)}`,
  // An IPv4 address inside an IPv6 one.
  `::([Ff]{4}:)?${ipv4}`,
].join('|');

/** What follows the last colon before the gap: the second colon, or up to so many groups. */
function after(groups: number): string {
  return groups === 0 ? ':' : `(:|(:${group}){1,${groups}})`;
}

export const ADDRESS_OR_NETWORK = `^(${ipv4}(/(3[0-2]|[12]?[0-9]))?|(${ipv6})(/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`;

interface Format {
  /** Null where an action checks it more closely, and can say better what is wrong. */
  check: ((value: string) => boolean) | null;
  /** Completes "The field …". */
  says: string;
  documented: { format?: string; pattern?: string; examples?: string[] };
  /** Only ASCII fits it, which nobody escapes. */
  isAscii?: boolean;
  /** Where schemas have no `maxLength` for it. */
  longest?: number;
}

const dateFormats = fullFormats as Record<
  'date' | 'date-time',
  { validate(value: string): boolean }
>;

export const formats: Readonly<Record<string, Format>> = {
  text: {
    check: isPlainText,
    says: 'must have no control characters',
    documented: { pattern: '^[^\\u0000-\\u001f\\u007f]*$' },
  },
  name: {
    check: (value) => isPlainText(value) && withoutHiddenMarks(value) === value,
    says: 'must have no control characters, and no marks that separate lines or turn the direction of writing',
    documented: { pattern: `^[^\\u0000-\\u001f\\u007f${HIDDEN_MARKS}]*$` },
  },
  'any-text': {
    check: isStorable,
    says: 'must be valid Unicode without NUL',
    documented: { pattern: '^[^\\u0000]*$' },
  },
  id: {
    check: (value) => !value.includes('\0'),
    says: 'must have no NUL',
    documented: { pattern: '^[^\\u0000]*$' },
  },
  endpoint: {
    check: null,
    says: 'must be one of the 43 endpoints',
    documented: { pattern: anyEndpoint(), examples: ['api/b2b/v3/search/hp/'] },
    isAscii: true,
  },
  cidr: {
    check: null,
    says: 'must be an address or a CIDR',
    documented: { pattern: ADDRESS_OR_NETWORK, examples: ['203.0.113.7', '2001:db8::/32'] },
    isAscii: true,
  },
  'delivery-id': {
    check: (value) => deliverySeq(value) !== undefined,
    says: 'must be the id of a delivery',
    documented: { pattern: `^${DELIVERY_ID}$`, examples: ['del_4711'] },
    isAscii: true,
  },
  'key-id': {
    check: (value) => /^[0-9]{1,18}$/.test(value),
    says: 'must have 1 to 18 digits and nothing else',
    documented: { pattern: '^[0-9]{1,18}$', examples: ['8095346453'] },
    isAscii: true,
    longest: 18,
  },
  'api-key': {
    check: (value) => /^[!-~]{16,128}$/.test(value),
    says: 'must have 16 to 128 ASCII characters and no spaces',
    documented: {
      pattern: '^[!-~]{16,128}$',
      examples: ['e2a3cdf4-9b6e-4cde-9d8b-3d37a1c0a5b1'],
    },
    isAscii: true,
    longest: 128,
  },
  // The receiver's check also says which part of a URL is wrong.
  uri: {
    check: null,
    says: 'must be a URL',
    documented: {
      format: 'uri',
      pattern: '^https?://[^/?#@\\s\\\\]+([/?][^#\\s\\\\]*)?$',
      examples: ['https://midoffice.example/webhooks/orders'],
    },
  },
  date: {
    check: (value) => dateFormats.date.validate(value),
    says: 'must be a date such as 2026-01-31',
    documented: { format: 'date' },
    isAscii: true,
    longest: 10,
  },
  // The pattern only excludes leap seconds. It must also fit a datetime of Python as text, which openapi-generator checks.
  'given-time': {
    check: isTime,
    says: 'must be a date and time in ISO 8601, such as 2026-01-31T12:00:00Z',
    documented: { format: 'date-time', pattern: '^[^:]+:[0-9]{2}:[0-5]' },
    isAscii: true,
    longest: 64,
  },
  cursor: cursorOf(BY_NUMBER, '1769860800000-par_019c13ec9e00a1a1a1a1a1a1a1a1'),
  'cursor-of-records': cursorOf(
    BY_NUMBER_OR_TEXT,
    '1769860800000-par_019c13ec9e00a1a1a1a1a1a1a1a1',
  ),
  'cursor-of-deliveries': cursorOf(`^${DELIVERY_ID}(\\.[A-Za-z0-9_-]*)?$`, 'del_417'),
  'cursor-of-own-deliveries': cursorOf(`^${OWN_DELIVERY_ID}(\\.[A-Za-z0-9_-]*)?$`, EXAMPLE_OWN_ID),
};

/** Those who list check it, because its form also depends on the order of the list. */
function cursorOf(pattern: string, example: string): Format {
  const says = 'must be the next_cursor of an earlier reply';
  return { check: null, says, documented: { pattern, examples: [example] } };
}

/** The slashes at both ends are optional. */
function anyEndpoint(): string {
  const paths = catalogue.map(({ endpoint }) => endpoint.slice(0, -1));
  return `^/?(${paths.join('|')})/?$`;
}

/** Of a year with four digits in UTC, too: otherwise replies would show it in another form. */
function isTime(value: string): boolean {
  const ms = dateFormats['date-time'].validate(value) ? Date.parse(value) : Number.NaN;
  return ms >= EARLIEST_MS && ms <= LATEST_MS;
}

const EARLIEST_MS = Date.parse('0000-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export function isPlainText(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return value.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(value);
}

/** PostgreSQL cannot hold NUL, and half a surrogate pair would not come back as it was. */
function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}
