/** Adds a finished call to the usage history. Calls that key, address or endpoint refused are not part of it. */
import type { UsageCounts } from '../usage-history/counts.ts';
import type { Call } from './call.ts';
import { type Refusal, refusals } from './refusal.ts';

export function countUsage(
  counts: UsageCounts,
  call: Call,
  status: number,
  refusal: Refusal | undefined,
): void {
  const { caller, grant, standing, isAdmitted, response } = call;
  if (!caller || !grant) return;
  const isRefused = refusal?.kind === refusals.endpointExceededLimit;
  // The caller hung up before the reply was complete, or the upstream's reply broke off.
  const isIncomplete = !response.writableEnded;
  const isFailed = isIncomplete || status >= 500;
  if (!isAdmitted && !isRefused && !isFailed) return;
  const record = counts.of(caller.keyId, grant.endpoint);
  if (!record) return;
  if (isAdmitted) record.admitted++;
  if (isRefused) record.refused++;
  if (isFailed) record.failed++;
  if (!standing || !(isAdmitted || isRefused)) return;
  const calls = grant.requests_number - standing.remaining;
  if (record.peakCalls === null || calls > record.peakCalls) record.peakCalls = calls;
  const share = calls / grant.requests_number;
  if (record.peakShare === null || share > record.peakShare) record.peakShare = share;
}
