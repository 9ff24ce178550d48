/**
 * Every action that the audit records: what a filter calls it, and how a sentence about it goes on after the actor.
 * "{}" stands for what was changed.
 */
interface AuditAction {
  title: string;
  did: string;
}

export const auditActions = {
  'partner.create': { title: 'Partner created', did: 'created the partner {}' },
  'partner.update': { title: 'Partner changed', did: 'changed {}' },
  'partner.certify': {
    title: 'Certification recorded',
    did: 'recorded the certification of {}',
  },
  'key.create': { title: 'Key created', did: 'created the key {}' },
  'key.update': { title: 'Key changed', did: 'changed the key {}' },
  'key.rotate': { title: 'Key rotated', did: 'rotated the key {}' },
  'key.revoke': { title: 'Key revoked', did: 'revoked the key {}' },
  'key.grant': { title: 'Limit or endpoint changed', did: 'changed an endpoint of {}' },
  'limit_request.create': { title: 'Limit asked for', did: 'asked for another limit of {}' },
  'limit_request.answer': {
    title: 'Request for a limit answered',
    did: 'answered a request for another limit of {}',
  },
  'key.withdraw': { title: 'Endpoint withdrawn', did: 'withdrew an endpoint from {}' },
  'midoffice.create': { title: 'Midoffice created', did: 'created the midoffice {}' },
  'midoffice.update': { title: 'Midoffice changed', did: 'changed {}' },
  'midoffice.test_event': { title: 'Test event sent', did: 'sent a test event to {}' },
  'midoffice.certify_receiver': {
    title: 'Receiver checked',
    did: 'checked the receiver of {}',
  },
  'midoffice.rehearse': {
    title: 'Rehearsal sent',
    did: 'sent earlier webhooks of {} as a rehearsal',
  },
  'midoffice.send_pending': { title: 'Waiting deliveries sent', did: 'sent what waited for {}' },
  'midoffice.recover': {
    title: 'Deliveries of a midoffice sent again',
    did: 'sent deliveries of {} again',
  },
  'midoffice.url_wished': {
    title: 'New receiver to be tested',
    did: 'wants the webhooks of {} at another URL, which is tested first',
  },
  'midoffice.url_refused': {
    title: 'New receiver failed its test',
    did: 'wanted the webhooks of {} at another URL, which failed its test',
  },
  'partner.recover': {
    title: 'Partner sent its deliveries again',
    did: 'sent deliveries of {} again',
  },
  'partner.send_pending': {
    title: 'Partner sent what waited',
    did: 'sent what waited for {}',
  },
  'delivery.retry': { title: 'Delivery sent again', did: 'sent {} again' },
  'delivery.cancel': { title: 'Delivery cancelled', did: 'cancelled the delivery of {}' },
  'delivery.acknowledge': {
    title: 'Delivery acknowledged',
    did: 'acknowledged that {} was not delivered',
  },
  'delivery.fast_forward': {
    title: 'Wait skipped',
    did: 'skipped a wait for the next attempt of {}',
  },
  'deliveries.retry': { title: 'Many deliveries sent again', did: 'sent many deliveries again' },
  'deliveries.cancel': { title: 'Many deliveries cancelled', did: 'cancelled many deliveries' },
  'deliveries.acknowledge': {
    title: 'Many deliveries acknowledged',
    did: 'acknowledged many deliveries',
  },
  'portal_link.create': { title: 'Portal link made', did: 'made a link to the portal for {}' },
  'portal_link.withdraw': {
    title: 'Portal link withdrawn',
    did: 'withdrew a link to the portal of {}',
  },
  'portal_session.open': { title: 'Portal opened', did: 'opened the portal of {}' },
  'portal_session.end': {
    title: 'Portal session ended',
    did: 'ended a session of {} in the portal',
  },
  'contacts.update': { title: 'Contacts changed', did: 'changed who gets the notices of {}' },
  'contact.ask_again': {
    title: 'Contact asked again',
    did: 'asked a contact of {} again to confirm its address',
  },
  'contact.confirm': {
    title: 'Contact confirmed',
    did: 'confirmed the address of a contact of {}',
  },
  'note.create': { title: 'Note written', did: 'wrote a note about {}' },
  'records.import': { title: 'Import', did: 'imported records' },
  'records.export': { title: 'Export of API keys', did: 'exported the API keys of all partners' },
  'master_key.reseal': {
    title: 'Master key changed',
    did: 'moved everything sealed to the current master key',
  },
  'person.create': { title: 'First sign-in', did: 'signed in for the first time as {}' },
  'person.update': { title: 'Person changed', did: 'signed in with changed details as {}' },
  'person.end_sessions': { title: 'Sessions ended', did: 'ended all sessions of {}' },
  'token.create': { title: 'Token created', did: 'created the token {}' },
  'token.delete': { title: 'Token deleted', did: 'deleted the token {}' },
} satisfies Record<string, AuditAction>;

/** An action of a newer release is said by its name. */
export function auditActionOf(action: string): AuditAction {
  const known: Record<string, AuditAction> = auditActions;
  return known[action] ?? { title: action, did: `${action} {}` };
}
