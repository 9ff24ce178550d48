/** The body that the receiver will get, made by the same code as on the server. */
import { composeBody } from '../../../partner/src/body.ts';
import type { BodyForm } from '../api/types.ts';
import { Code } from '../ui/text/Code.tsx';
import { words } from '../words/words.ts';

const event = {
  type: 'updated',
  partnerOrderId: 'A-4711',
  agreementNumber: 'AG-7',
  status: 'completed',
} as const;

/** The test vector of the webhook specification. */
const secure = {
  signature: '0206b33906ca4acfe407dc3b4a7fe4129b36022729cf8bca8ca06ee1c8bec3da',
  timestamp: 1574146939,
  token: 'd3395025-1ee7-49a2-bd86-e4bd6b9908b2',
};

export function BodyPreview({ form }: { form: BodyForm }) {
  return <Code label={words.attempts.bodyPreview} text={composeBody(event, form, secure)} />;
}
