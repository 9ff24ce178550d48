/** Audit actions in words. An unknown action is shown by its name. */
const words: Record<string, string> = {
  'partner.create': 'created the partner',
  'partner.update': 'changed the partner',
  'partner.certify': 'recorded the certification of',
  'key.create': 'created the key',
  'key.update': 'changed the key',
  'key.rotate': 'rotated the key',
  'key.revoke': 'revoked the key',
  'key.grant': 'changed a grant of the key',
  'key.withdraw': 'withdrew a grant of the key',
  'midoffice.create': 'created the midoffice',
  'midoffice.update': 'changed the midoffice',
  'midoffice.test_event': 'sent a test event to',
  'midoffice.certify_receiver': 'checked the receiver of',
  'midoffice.send_pending': 'sent what waited for',
  'midoffice.recover': 'recovered deliveries of',
  'delivery.retry': 'retried the delivery',
  'delivery.cancel': 'cancelled the delivery',
  'delivery.acknowledge': 'acknowledged the delivery',
  'note.create': 'added a note to',
  'delivery.fast_forward': 'fast-forwarded the delivery',
  'deliveries.retry': 'retried many',
  'deliveries.cancel': 'cancelled many',
  'deliveries.acknowledge': 'acknowledged many',
  'records.import': 'imported',
  'records.export': 'exported the API keys of all',
  'master_key.reseal': 'moved everything sealed to the current master key in',
  'person.create': 'signed in for the first time as',
  'person.end_sessions': 'ended all sessions of',
  'person.update': 'signed in with changed details as',
  'token.create': 'created the token',
  'token.delete': 'deleted the token',
};

export const auditActions: Readonly<Record<string, string>> = words;

export function actionInWords(action: string): string {
  return words[action] ?? action;
}

/** Only the name. An actor is recorded with the id of the token, or with the email and id of the person. */
export function actorName(actor: string): string {
  return actor.replace(/( <[^<>]*>)? \((tok_\w+|oidc [^()]*)\)$/, '');
}

export interface Difference {
  field: string;
  before: string | undefined;
  after: string | undefined;
}

/** The fields that differ; all fields of a record that was created or deleted. */
export function differences(before: unknown, after: unknown): Difference[] {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return fields
    .map((field) => ({ field, before: was[field], after: is[field] }))
    .filter((one) => one.before !== one.after);
}

function fieldsOf(value: unknown): Record<string, string> {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object') return { value: inText(value) };
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, inText(one)]));
}

function inText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
