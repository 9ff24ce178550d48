/** A grant of an endpoint: its fields, and what callers send and are shown of it. */

import { cataloguePosition } from '../../base/catalogue.ts';
import { like, story } from '../examples.ts';
import { input, reply, text, Warnings } from '../forms.ts';
import { invalidField } from '../problem.ts';
import { Type } from '../type.ts';

export const LARGEST_REQUESTS_NUMBER = 1_000_000;
export const LARGEST_SECONDS_NUMBER = 31 * 86_400;

/** As callers may spell it: the slashes at both ends are optional. */
export const endpoint = Type.String({ title: 'EndpointName', maxLength: 200, format: 'endpoint' });

const grantFields = {
  endpoint: like(story.endpoint),
  is_active: Type.Boolean(),
  is_debug_mode: Type.Boolean(),
  is_limited: Type.Boolean(),
  requests_number: like(
    story.requests,
    Type.Integer({ minimum: 1, maximum: LARGEST_REQUESTS_NUMBER }),
  ),
  seconds_number: like(
    story.seconds,
    Type.Integer({ minimum: 1, maximum: LARGEST_SECONDS_NUMBER }),
  ),
};

export const Grant = reply('Grant', grantFields);

export const approvalReference = like(
  'TICKET-2931',
  text(
    1,
    200,
    'Who approved it. In production, a limit that lets more through needs one. Recorded in the audit.',
  ),
);

export const GrantInput = input('GrantInput', {
  ...Type.Partial(Grant).properties,
  endpoint,
  approval_reference: Type.Optional(approvalReference),
  expected_sales_volume: Type.Optional(
    like(
      '400 bookings a day',
      text(1, 200, 'What the approval of a higher limit is based on. Recorded in the audit.'),
    ),
  ),
});

export const GrantWithWarnings = reply('GrantWithWarnings', {
  ...grantFields,
  warnings: like(
    [
      {
        code: 'seconds_exceed_requests',
        detail: 'seconds_number (60) should not exceed requests_number (10).',
      },
    ],
    Warnings,
  ),
});

/** Returns the catalogue's spelling. Accepts a leading slash, and a missing trailing one. */
export function readEndpoint(text: string, field: string): string {
  const endpoint = `${text.replace(/^\//, '').replace(/\/$/, '')}/`;
  if (cataloguePosition(endpoint) === undefined) {
    throw invalidField(
      field,
      `must be one of the 43 endpoints, such as api/b2b/v3/search/hp/, not "${text}"`,
    );
  }
  return endpoint;
}
