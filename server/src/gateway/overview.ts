/** `overview/`: the grants of the calling key. The reply is serialised once per grant set. */
import type { Clock } from '../base/clock.ts';
import type { GrantSet } from '../base/grants.ts';
import { type Call, debugOf } from './call.ts';
import { headersOf } from './reply.ts';
import type { Counted } from './stages.ts';
import { RepeatedBody, sendWhole } from './whole-reply.ts';

const prepared = new WeakMap<GrantSet, RepeatedBody>();

export function answerOverview({ stage }: Counted, clock: Clock): void {
  const { call, grant } = stage;
  const { grants } = stage.caller;
  const body =
    grant.is_debug_mode && asksForDebug(call)
      ? replyWith(grants, JSON.stringify(debugOf(call, clock.now())))
      : preparedFor(grants);
  const headers = headersOf(call, clock);
  headers.push('Content-Length', String(body.length));
  sendWhole(call.response, 200, headers, body);
}

function asksForDebug({ request: { headers } }: Call): boolean {
  return String(headers['x-debug-mode']).toLowerCase() === 'on';
}

function preparedFor(grants: GrantSet): RepeatedBody {
  let reply = prepared.get(grants);
  if (!reply) {
    reply = new RepeatedBody(replyWith(grants, 'null'));
    prepared.set(grants, reply);
  }
  return reply;
}

/** Endpoints and numbers are ASCII. */
function replyWith({ json }: GrantSet, debug: string): string {
  return `{"data":${json},"debug":${debug},"error":null,"status":"ok"}`;
}
