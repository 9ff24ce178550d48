/**
 * The services half of the process: webhooks, the back office and the portal. It runs in a thread of its own
 * beside the partner API, and in the main thread of a process that has no partner API.
 */

import { systemClock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import {
  type ListenerName,
  type ListenerSettings,
  listenersOf,
  partnerApiUrls,
  portalUrlOf,
} from '../base/config/listeners.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Drains } from '../base/disposal.ts';
import type { Log } from '../base/log.ts';
import { measureProcess } from '../base/metrics/process-metrics.ts';
import { measureThread } from '../base/metrics/thread-metrics.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import { VERSION } from '../base/version.ts';
import type { KeySignedIn, KeyToSignIn } from '../gateway/key-sign-in.ts';
import { Certificates } from '../listener/certificate.ts';
import { listen } from '../listener/listen.ts';
import type { App } from '../office/http-app.ts';
import { oidcSettingsOf } from '../office/oidc/settings.ts';
import type { PartnerSide } from '../office/partner-side.ts';
import { watchBackups } from '../operate/backup/names.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import type { ByEnvironment, Environment, ReadingEnvironment } from './environment.ts';
import { type Mailing, startMailing } from './mailing.ts';
import { type OrderWebhooks, openOrderWebhooks } from './order-webhooks.ts';

export interface ServicesHalf {
  config: Config;
  environments: ByEnvironment<ReadingEnvironment>;
  /** Where the partner API of this process listens, by environment; empty if it has none. */
  partnerApiAddresses: Readonly<Record<string, string>>;
  /** Set if the process has the role `back-office`. */
  backOfficeStore: BackOfficeStore | undefined;
  partnerSide: PartnerSide & {
    /** Signs a key in where the partner API does, so that failures count together. */
    signInWithKey(environment: EnvironmentName, key: KeyToSignIn): Promise<KeySignedIn>;
  };
  /** A sentence while the thread of the partner API does not answer. */
  trouble(): string | undefined;
  log: Log;
  metrics: Metrics;
  /** Undefined if nothing is traced. */
  tracer?: Tracer | undefined;
}

export interface Services {
  /** Of the `portal` and the `backOffice`, or of the `monitoring` alone, if they are served. */
  addresses: Record<string, string>;
  /** Reads again what may change without a restart. */
  reload(): void;
}

/** Only those that are served: with its schemas, the back office is the largest part of the process. */
export async function loadApps(roles: Config['roles']): Promise<void> {
  if (roles.includes('back-office')) await import('../office/app.ts');
  if (roles.includes('portal')) await import('../portal/app.ts');
}

/** Resolves when they deliver and listen. */
export async function openServices(
  parts: ServicesHalf,
  closing: AsyncDisposableStack,
  drains: Drains,
): Promise<Services> {
  const { config, environments, backOfficeStore } = parts;
  // In this thread, because a main thread that hangs must not hide what the process uses.
  measureProcess(parts.metrics, VERSION);
  closing.defer(measureThread(parts.metrics, 'services'));
  if (config.backupDir !== undefined) {
    closing.defer(await watchBackups(config.backupDir, parts.metrics));
  }
  const webhooks = new Map<EnvironmentName, OrderWebhooks>();
  const supported = new Map<EnvironmentName, SupportEnvironment>();
  const listeners = listenersOf(config);
  let portalAddress: string | undefined;
  let mailing: Mailing | undefined;
  const mailTroubles = () => mailing?.troubles() ?? [];
  const { roles } = config;
  const portal = {
    portalUrl: () => portalUrlOf(config, portalAddress),
    hasPortal: roles.includes('portal') || config.portalUrl !== undefined,
    sendsMail: config.smtpServer !== undefined,
  };
  if (roles.includes('delivery') || roles.includes('portal') || backOfficeStore) {
    for (const [name, environment] of environments) {
      const opened = openWebhooks(environment, parts, closing);
      webhooks.set(name, opened);
      supported.set(name, supportEnvironment(environment, opened, { ...config, ...portal }));
    }
  }
  const certificates = new Certificates({ ...parts, clock: systemClock });
  const apps = new Map<ListenerName, App>();
  if (backOfficeStore) apps.set('backOffice', await openBackOffice(backOfficeStore));
  if (listeners.has('portal')) apps.set('portal', await openPortal());
  if (listeners.has('monitoring')) apps.set('monitoring', await openMonitoring());
  closing.use(drains);
  if (roles.includes('delivery')) {
    for (const one of webhooks.values()) {
      const delivery = await one.start();
      drains.add(() => delivery.stop());
    }
    const started = startMailing(environments.values(), { ...parts, ...portal });
    drains.add(() => started.stop());
    mailing = started;
  }
  const addresses: Record<string, string> = {};
  for (const [name, { server }] of apps) {
    const listening = await listen(server, listeners.get(name) as ListenerSettings);
    drains.add(listening.drain, listening.retire);
    addresses[name] = listening.address;
  }
  portalAddress = addresses.portal;
  return { addresses, reload: () => certificates.readAgain() };

  async function openBackOffice(backOfficeStore: BackOfficeStore) {
    const { partnerSide, trouble, log, metrics, tracer } = parts;
    const { createBackOffice } = await import('../office/app.ts');
    const oidc = oidcSettingsOf(config);
    const provider =
      oidc && (await import('../office/oidc/provider.ts')).createProvider(oidc, systemClock);
    const app = await createBackOffice({
      environments: supported,
      backOfficeStore,
      partnerSide,
      trouble,
      mailTroubles,
      trustedProxies: config.trustedProxies,
      backOfficeUrl: config.backOfficeUrl,
      partnerApiUrls: partnerApiUrls(config, parts.partnerApiAddresses),
      provider,
      recheckMs: config.oidcRecheckMs,
      certificate: certificates.open('back-office', listeners.get('backOffice')?.tls),
      clock: systemClock,
      metrics,
      log,
      tracer,
    });
    closing.defer(() => app.close());
    return app;
  }

  async function openPortal() {
    const { partnerSide, log, metrics } = parts;
    const { createPortal } = await import('../portal/app.ts');
    const keyScopes = new Map(
      config.environments.map((name) => [name, config[name].portalKeyScopes]),
    );
    const app = await createPortal({
      environments: supported,
      keySignIn: partnerSide.signInWithKey,
      keyScopes,
      partnerApiUrls: partnerApiUrls(config, parts.partnerApiAddresses),
      brand: { name: config.portalName, logo: config.portalLogo, color: config.portalColor },
      trustedProxies: config.trustedProxies,
      certificate: certificates.open('portal', listeners.get('portal')?.tls),
      clock: systemClock,
      metrics,
      log,
    });
    closing.defer(() => app.close());
    return app;
  }

  async function openMonitoring() {
    const { createMonitoring } = await import('../office/health-routes.ts');
    const { trustedProxies } = config;
    const certificate = certificates.open('back-office', listeners.get('monitoring')?.tls);
    const own = { trustedProxies, certificate, clock: systemClock, mailTroubles };
    const app = await createMonitoring({ ...parts, ...own });
    closing.defer(() => app.close());
    return app;
  }
}

export function openWebhooks(
  environment: Environment,
  { config, metrics, tracer }: Pick<ServicesHalf, 'config' | 'metrics' | 'tracer'>,
  closing: AsyncDisposableStack,
): OrderWebhooks {
  const { name, settings, store, vault, clock, log } = environment;
  const { alertUrl } = config;
  const common = { environment: name, settings, alertUrl, store, vault, clock };
  const parts = { ...common, log, metrics, tracer };
  const webhooks = openOrderWebhooks(parts);
  closing.defer(() => webhooks.close());
  return webhooks;
}

export function supportEnvironment(
  { name, store, vault, limiter, clock }: ReadingEnvironment,
  webhooks: OrderWebhooks,
  given: Pick<SupportEnvironment, 'sandboxOffer' | 'portalUrl' | 'hasPortal' | 'sendsMail'>,
): SupportEnvironment {
  const { sandboxOffer, portalUrl, hasPortal, sendsMail } = given;
  const portal = { portalUrl, hasPortal, sendsMail };
  return { name, store, vault, limiter, clock, sandboxOffer, webhooks, ...portal };
}
