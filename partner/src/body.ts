import type { Secure } from './signature.ts';

/**
 * Writes and reads the JSON of a webhook. The specification shows the fields of the payload in two places,
 * under `data` and beside `signature`. The service writes the form that the midoffice chose; a receiver
 * reads either form, or a mixture.
 */

export type EventType = 'created' | 'updated' | 'cancelled';

/** `data`: fields under `data`. `flat`: fields beside `signature`. `both`: in both places. */
export type BodyForm = 'data' | 'flat' | 'both';

export interface OrderEvent {
  type: EventType;
  /** 1 to 256 characters. */
  partnerOrderId: string;
  agreementNumber?: string | undefined;
  status?: string | undefined;
}

/**
 * An event as read from a webhook. `type` is undefined only in messages like the second example of the
 * specification, which have the order's `status` instead.
 */
export interface ReceivedEvent extends Omit<OrderEvent, 'type'> {
  type: EventType | undefined;
}

export type Reading =
  | { ok: true; event: ReceivedEvent; secure: Secure }
  | { ok: false; message: string };

const EVENT_TYPES: readonly unknown[] = ['created', 'updated', 'cancelled'] satisfies EventType[];
const LONGEST_ORDER_ID = 256;
/** Tokens have 50 characters, but examples of other services use UUIDs. The limit only prevents abuse. */
const LONGEST_TOKEN = 256;

export function composeBody(event: OrderEvent, form: BodyForm, secure: Secure): string {
  const { signature, timestamp, token } = secure;
  // JSON.stringify leaves out undefined fields and keeps this order.
  const fields = {
    type: event.type,
    partner_order_id: event.partnerOrderId,
    agreement_number: event.agreementNumber,
    status: event.status,
  };
  const signed = { signature, timestamp, token };
  if (form === 'data') return JSON.stringify({ data: fields, signature: signed });
  const nested = form === 'both' ? { data: fields } : {};
  return JSON.stringify({ ...nested, ...fields, signature: signed });
}

export function readBody(json: string): Reading {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return malformed('The body is not JSON.');
  }
  if (!isObject(parsed)) return malformed('The body is not a JSON object.');
  const secure = own(parsed, 'signature');
  if (!isObject(secure)) return malformed('The body has no object "signature".');
  const data = own(parsed, 'data') ?? {};
  if (!isObject(data)) return malformed('"data" is not an object.');

  const fields: Record<string, unknown> = {};
  for (const name of ['type', 'partner_order_id', 'agreement_number', 'status']) {
    const nested = own(data, name) ?? undefined;
    const flat = own(parsed, name) ?? undefined;
    // The signature in the body does not cover the payload, so neither place is more trustworthy.
    if (nested !== undefined && flat !== undefined && nested !== flat) {
      return malformed(`"${name}" is given twice, with different values.`);
    }
    fields[name] = nested ?? flat;
  }
  return readFields(fields, secure);
}

function readFields(fields: Record<string, unknown>, secure: object): Reading {
  const { type, partner_order_id: partnerOrderId, agreement_number: agreementNumber } = fields;
  const { status } = fields;
  if (!isOptionalString(agreementNumber)) return malformed('"agreement_number" is not a string.');
  if (!isOptionalString(status)) return malformed('"status" is not a string.');
  if (!isPartnerOrderId(partnerOrderId)) {
    return malformed('"partner_order_id" is not a string of 1 to 256 characters.');
  }
  if (!isEventType(type) && !(type === undefined && status !== undefined)) {
    return malformed('"type" is none of "created", "updated", "cancelled".');
  }
  const signature = own(secure, 'signature');
  const timestamp = own(secure, 'timestamp');
  const token = own(secure, 'token');
  if (typeof signature !== 'string') return malformed('"signature.signature" is not a string.');
  if (!isTimestamp(timestamp)) {
    return malformed('"signature.timestamp" is not a whole number of seconds since 1970.');
  }
  if (typeof token !== 'string' || token === '' || token.length > LONGEST_TOKEN) {
    return malformed('"signature.token" is not a string of 1 to 256 characters.');
  }
  const event: ReceivedEvent = { type, partnerOrderId };
  if (agreementNumber !== undefined) event.agreementNumber = agreementNumber;
  if (status !== undefined) event.status = status;
  return { ok: true, event, secure: { signature, timestamp, token } };
}

/** Characters are code points: an emoji counts as one, although JavaScript's `length` says two. */
export function isPartnerOrderId(value: unknown): value is string {
  if (typeof value !== 'string' || value === '') return false;
  if (value.length <= LONGEST_ORDER_ID) return true;
  return value.length <= 2 * LONGEST_ORDER_ID && [...value].length <= LONGEST_ORDER_ID;
}

export function isEventType(value: unknown): value is EventType {
  return EVENT_TYPES.includes(value);
}

/** Above the safe integers, the parsed number may differ from the signed one. */
function isTimestamp(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Own properties only, so that neither `__proto__` nor a polluted prototype can supply a field. */
function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}

function malformed(message: string): Reading {
  return { ok: false, message };
}
