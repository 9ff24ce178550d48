/**
 * The composition root: everything is opened and wired here, in order, and closed in reverse. What both halves use
 * comes first (shared.ts), then the partner API, then the services: webhooks, back office and portal. Beside a partner
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
import {
  announceDemo,
  announceProcess,
  type CreateDemo,
  createDemoIn,
  type Say,
} from './announce.ts';
import type { PartnerApis } from './partner-apis.ts';
import { readVariablesAgain, useNewCredentials, useNewLogLevel } from './reload.ts';
import { checkCertificates, openShared } from './shared.ts';
import { mainSideOf } from './threads/main-side.ts';
import { startServicesThread } from './threads/start-services-thread.ts';

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

/** One half of the process, which serves. */
interface Half {
  addresses: Record<string, string>;
  /** With the settings as they are now. */
  reload(now: Variables): void | Promise<void>;
  /** If the main thread does without what that needs. */
  createDemo?: CreateDemo;
}

/**
 * `given` are the raw settings; `say` prints a line of start-up text for people. If `stopping` is aborted before
 * it has started, it closes what is open and rejects with the reason. `startThread` starts the services beside a partner
 * API. `usageEveryMs` is how often the usage history is written, if not as often as usual.
 */
export async function start(
  given: Variables,
  say: Say,
  stopping = new AbortController().signal,
  startThread = startServicesThread,
  usageEveryMs?: number,
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
  try {
    const onDataGone = (error: Error) => failed.resolve(error.message);
    const shared = await openShared(
      { variables, config, masterKey, previousMasterKeys, stopping, onDataGone },
      closing,
    );
    const { environments, log } = shared;
    await announceProcess(shared, say);
    const mainSide = mainSideOf({ ...shared, isStopping: () => isStopping });
    const { roles } = config;
    const partnerApis = roles.includes('partner-api') ? await openPartnerHalf() : undefined;
    stopping.throwIfAborted();
    const hasServices = roles.some((role) => role !== 'partner-api');
    const services = hasServices ? await openServicesHalf(partnerApis) : undefined;
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

    /*
     * Each half is loaded only in the thread that runs it: the back office with its schemas and Fastify
     * takes more memory than all of the partner API.
     */
    async function openPartnerHalf(): Promise<PartnerApis> {
      const { openPartnerApis } = await import('./partner-apis.ts');
      return openPartnerApis({ ...shared, usageEveryMs }, closing, drains);
    }

    /** In a thread of its own beside the partner API; here if there is none. */
    async function openServicesHalf(beside: PartnerApis | undefined): Promise<Half> {
      if (!beside) {
        const { openServices } = await import('./services.ts');
        // The back office adds the metrics of its own thread, which are these.
        const partnerSide = { ...mainSide, metricsText: () => '' };
        const none = { partnerApiAddresses: {}, trouble: () => undefined };
        return openServices({ ...shared, ...none, partnerSide }, closing, drains);
      }
      const thread = await startThread(
        {
          variables,
          masterKey: masterKey.toString('base64'),
          previousMasterKeys: previousMasterKeys.map((key) => key.toString('base64')),
          partnerApiAddresses: beside.addresses,
        },
        mainSide,
      );
      // A thread that is gone needs not know; `failed` says so.
      drains.add(thread.stop, () => thread.call('retire').catch(() => {}));
      void thread.failed.then(failed.resolve);
      beside.writeThrough(thread.call);
      return {
        addresses: thread.addresses,
        reload: (now) => thread.call('reload', now),
        createDemo: (setting) => thread.call('createDemo', setting),
      };
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
