/**
 * The composition root: everything is opened and wired here, in order, and closed in reverse. What both halves use
 * comes first (shared.ts), then the partner API, then the services: webhooks, back office and portal (halves.ts). Beside a partner
 * API, the services run in a second thread (threads/), otherwise in this one. Only the back office's router knows more
 * than one environment.
 */
import { readConfig, readSecretFiles } from '../base/config/config.ts';
import { listenersOf } from '../base/config/listeners.ts';
import type { Variables } from '../base/config/secret-files.ts';
import { closeAll, Drains } from '../base/disposal.ts';
import type { Log } from '../base/log.ts';
import { checkListeners } from '../listener/listen.ts';
import { obtainMasterKeys } from '../operate/master-key.ts';
import { trustAuthorities } from '../receiver/trusted-cas.ts';
import { announceDemo, announceProcess, createDemoIn, type Say } from './announce.ts';
import { type Half, openPartnerHalf, openServicesBeside, openServicesHere } from './halves.ts';
import type { PartnerApis } from './partner-apis.ts';
import { readVariablesAgain, useNewCredentials, useNewLogLevel } from './reload.ts';
import { checkCertificates, openShared } from './shared.ts';
import { mainSideOf } from './threads/main-side.ts';
import { loadServicesThread } from './threads/start-services-thread.ts';

export interface Running {
  /** The addresses of `production`, `sandbox`, `backOffice`, `portal` and `monitoring`, as far as they are served. */
  addresses: Record<string, string>;
  /** Resolves to a sentence if this process cannot continue and must be stopped. */
  failed: Promise<string>;
  log: Log;
  /** Reads again what may change without a restart ("Signals" in docs/operating/upgrading.md), and logs the result. */
  reload(): Promise<void>;
  /** Says that it is not ready from now on, and asks callers for other connections, while everything goes on. */
  retire(): void;
  /** Rejects with an AggregateError of everything that could not be closed. */
  stop(): Promise<void>;
}

/**
 * `given` are the raw settings; `say` prints a line of start-up text for people. If `stopping` is aborted before
 * it has started, it closes what is open and rejects with the reason. `loadThread` loads what starts the services beside
 * a partner API. `callsEveryMs` is how often what is counted and recorded of calls is written, if not as often as usual.
 */
export async function start(
  given: Variables,
  say: Say,
  stopping = new AbortController().signal,
  loadThread = loadServicesThread,
  callsEveryMs?: number,
): Promise<Running> {
  // Read once: the services thread must not see another content of a file than this one.
  const variables = readSecretFiles(given);
  const config = readConfig(variables);
  trustAuthorities(config.caFile);
  checkCertificates(config);
  await checkListeners(listenersOf(config).values());
  const { masterKey, previousMasterKeys } = obtainMasterKeys(config);
  const failed = Promise.withResolvers<string>();
  const closing = new AsyncDisposableStack();
  const drains = new Drains();
  let isStopping = false;
  let inUse = variables;
  const hasPartnerApi = config.roles.includes('partner-api');
  const hasServices = config.roles.some((role) => role !== 'partner-api');
  try {
    const startBeside = hasPartnerApi && hasServices ? loadThread(config, closing) : undefined;
    const onDataGone = (error: Error) => failed.resolve(error.message);
    const shared = await openShared(
      { variables, config, masterKey, previousMasterKeys, stopping, onDataGone },
      closing,
    );
    const { environments, log } = shared;
    await announceProcess(shared, say);
    const mainSide = mainSideOf({ ...shared, isStopping: () => isStopping });
    const partnerApis = hasPartnerApi
      ? await openPartnerHalf({ ...shared, callsEveryMs }, closing, drains)
      : undefined;
    stopping.throwIfAborted();
    const services = await openServices(partnerApis);
    stopping.throwIfAborted();
    const addresses = { ...partnerApis?.addresses, ...services?.addresses };
    const createDemo = services?.createDemo ?? createDemoIn(environments, config);
    await announceDemo(config, createDemo, addresses.sandbox, say);
    return {
      addresses,
      failed: failed.promise,
      log,
      reload,
      retire,
      stop: () => closeAll(closing),
    };

    function openServices(beside: PartnerApis | undefined): Promise<Half> | undefined {
      if (!hasServices) return undefined;
      if (!beside || !startBeside) return openServicesHere(shared, mainSide, closing, drains);
      const keys = { variables, masterKey, previousMasterKeys };
      return openServicesBeside(beside, keys, mainSide, startBeside, {
        drains,
        failed: failed.resolve,
      });
    }

    async function reload(): Promise<void> {
      // With files that cannot be used, everything stays as it is.
      inUse = readVariablesAgain(given, variables, log) ?? inUse;
      useNewLogLevel(log, inUse);
      useNewCredentials(environments, inUse);
      partnerApis?.reload();
      await services?.reload(inUse);
    }

    function retire(): void {
      isStopping = true;
      drains.retire();
    }
  } catch (error) {
    // The reason why it did not start matters more than what could not be closed.
    await closing.disposeAsync().catch(() => {});
    throw error;
  }
}
