/**
 * One way to open each half of the process. A half is loaded only in the thread that runs it: the back office with its
 * schemas and Fastify takes more memory than all of the partner API.
 */
import type { Variables } from '../base/config/secret-files.ts';
import type { Drains } from '../base/disposal.ts';
import type { MasterKeys } from '../operate/master-key.ts';
import type { CreateDemo } from './announce.ts';
import type { PartnerApis, PartnerHalf } from './partner-apis.ts';
import type { Shared } from './shared.ts';
import type { MainSide } from './threads/main-side.ts';
import type { StartServices } from './threads/start-services-thread.ts';

/** One half of the process, which serves. */
export interface Half {
  addresses: Record<string, string>;
  /** With the settings as they are now. */
  reload(now: Variables): void | Promise<void>;
  /** If the main thread does without what that needs. */
  createDemo?: CreateDemo;
}

export async function openPartnerHalf(
  parts: PartnerHalf,
  closing: AsyncDisposableStack,
  drains: Drains,
): Promise<PartnerApis> {
  const { openPartnerApis } = await import('./partner-apis.ts');
  return openPartnerApis(parts, closing, drains);
}

/** In this thread, which has no partner API. */
export async function openServicesHere(
  shared: Shared,
  mainSide: MainSide,
  closing: AsyncDisposableStack,
  drains: Drains,
): Promise<Half> {
  const { openServices } = await import('./services.ts');
  // The back office adds the metrics of its own thread, which are these.
  const partnerSide = { ...mainSide, metricsText: () => '' };
  const none = { partnerApiAddresses: {}, trouble: () => undefined };
  return openServices({ ...shared, ...none, partnerSide }, closing, drains);
}

/** In a thread of their own, beside the partner API. */
export async function openServicesBeside(
  partnerApis: PartnerApis,
  { variables, masterKey, previousMasterKeys }: MasterKeys & { variables: Variables },
  mainSide: MainSide,
  startServices: StartServices,
  { drains, failed }: { drains: Drains; failed(sentence: string): void },
): Promise<Half> {
  const data = {
    variables,
    masterKey: masterKey.toString('base64'),
    previousMasterKeys: previousMasterKeys.map((key) => key.toString('base64')),
    partnerApiAddresses: partnerApis.addresses,
  };
  const thread = await startServices(data, mainSide);
  // A thread that is gone needs not know; `failed` says so.
  drains.add(thread.stop, () => thread.call('retire').catch(() => {}));
  void thread.failed.then(failed);
  partnerApis.writeThrough(thread.call);
  return {
    addresses: thread.addresses,
    reload: (now) => thread.call('reload', now),
    createDemo: (setting) => thread.call('createDemo', setting),
  };
}
