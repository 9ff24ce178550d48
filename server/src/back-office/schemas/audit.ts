import Type from 'typebox';
import { auditSorts } from '../../support/audit/audit.ts';
import { pageQuery, query, reply, sortBy, time } from './forms.ts';

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
  subject: Type.Optional(Type.String({ description: 'Id of what was changed.' })),
  actor: Type.Optional(
    Type.String({
      description:
        'The name of a token or a person, the email of a person, or the whole actor as entries show it.',
    }),
  ),
  action: Type.Optional(Type.String({ description: 'Such as `key.rotate`.' })),
  since: Type.Optional(time),
  until: Type.Optional(time),
};

export const auditQuery = query({ ...pageQuery, ...auditFilter, ...sortBy(auditSorts) });
export const auditCountQuery = query(auditFilter);
