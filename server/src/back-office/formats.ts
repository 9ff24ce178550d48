/**
 * Formats of strings beyond those of JSON Schema. The validator knows them by name; readers of the
 * OpenAPI document get a pattern instead, which every generator and validator understands.
 */
import { deliverySeq } from '../orders/order-event.ts';

interface Format {
  /** Null where a verb checks it more closely, and can say better what is wrong. */
  check: ((value: string) => boolean) | null;
  /** Completes "The field …". */
  says: string;
  documented: { pattern: string; examples?: string[] } | { format: string };
}

export const formats: Readonly<Record<string, Format>> = {
  text: {
    check: isPlainText,
    says: 'must have no control characters',
    documented: { pattern: '^[^\\u0000-\\u001f\\u007f]*$' },
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
    documented: {
      pattern: '^/?api/b2b/v3/[a-z0-9_/]+$',
      examples: ['api/b2b/v3/search/hp/'],
    },
  },
  cidr: {
    check: null,
    says: 'must be an address or a CIDR',
    documented: {
      pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$',
      examples: ['203.0.113.7', '2001:db8::/32'],
    },
  },
  'delivery-id': {
    check: (value) => deliverySeq(value) !== undefined,
    says: 'must be the id of a delivery',
    documented: { pattern: '^del_[1-9][0-9]{0,15}$', examples: ['del_4711'] },
  },
  'key-id': {
    check: (value) => /^[0-9]{1,18}$/.test(value),
    says: 'must have 1 to 18 digits and nothing else',
    documented: { pattern: '^[0-9]{1,18}$', examples: ['8095346453'] },
  },
  'api-key': {
    check: (value) => /^[!-~]{16,128}$/.test(value),
    says: 'must have 16 to 128 ASCII characters and no spaces',
    documented: {
      pattern: '^[!-~]{16,128}$',
      examples: ['e2a3cdf4-9b6e-4cde-9d8b-3d37a1c0a5b1'],
    },
  },
  uri: { check: null, says: 'must be a URL', documented: { format: 'uri' } },
};

export function isPlainText(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return value.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(value);
}

/** PostgreSQL cannot hold NUL, and half a surrogate pair would not come back as it was. */
function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}
