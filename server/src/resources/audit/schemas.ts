import Type from 'typebox';
import { filter, givenTime, pageQuery, query, reply, sortBy, time } from '../forms.ts';
import { auditSorts } from './audit.ts';

export const AuditEntry = reply('AuditEntry', {
  id: Type.String(),
  at: time,
  actor: Type.String(),
  action: Type.String(),
  subject: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
});

const auditFilter = {
  subject: filter('Id of what was changed.'),
  actor: filter(
    'The name of a token or a person, the email of a person, or the whole actor as entries show it.',
  ),
  action: filter('Such as `key.rotate`.'),
  since: Type.Optional(givenTime()),
  until: Type.Optional(givenTime()),
};

export const auditQuery = query({ ...pageQuery, ...auditFilter, ...sortBy(auditSorts) });
export const auditCountQuery = query(auditFilter);
