/**
 * The second flow without HTTP in front of it: a real store, the real worker, real receivers, and a clock
 * that the test moves. Tests learn from the worker's log what it has settled, as an operator would.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { dataFolder, describeWithPostgres } from '../../test/support.ts';
import { readConfig } from '../src/base/config/config.ts';
import type { Log } from '../src/base/log.ts';
import { createLogger } from '../src/base/logging/logger.ts';
import { Metrics } from '../src/base/metrics.ts';
import { Vault } from '../src/base/sealing/vault.ts';
import type { AcceptedEvent, OrderEventInput } from '../src/delivery/orders/order-event.ts';
import { createMemoryLimiter } from '../src/limiter/memory-limiter.ts';
import { type OrderWebhooks, openOrderWebhooks } from '../src/main/order-webhooks.ts';
import { getDelivery } from '../src/resources/deliveries/deliveries.ts';
import type { SupportEnvironment } from '../src/resources/environment.ts';
import { createKey } from '../src/resources/keys/create-key.ts';
import { createMidoffice } from '../src/resources/midoffices/change-midoffice.ts';
import type { NewMidoffice } from '../src/resources/midoffices/midoffice.ts';
import { createPartner, updatePartner } from '../src/resources/partners/change-partner.ts';
import { openPostgresBackOffice } from '../src/store/back-office/postgres.ts';
import { openSqliteBackOffice } from '../src/store/back-office/sqlite.ts';
import type { BackOfficeStore } from '../src/store/back-office/store.ts';
import { openPostgresStore } from '../src/store/postgres/open.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import { Condition } from './condition.ts';
import { ManualClock } from './manual-clock.ts';
import { LOOPBACK_RECEIVERS } from './settings.ts';
import { type Answer, startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export const vault = new Vault(randomBytes(32), 'production');

/** One database. On PostgreSQL several nodes can open it. */
export interface TestDatabase {
  engine: Store['engine'];
  open(clock: ManualClock): Promise<Store>;
  /** Beside a store that was opened here. */
  openBackOffice(home: Store, clock: ManualClock): Promise<BackOfficeStore>;
}

export function describeOnEachStore(
  name: string,
  body: (newDatabase: NewDatabase, engine: Store['engine']) => void,
): void {
  describe(`${name}, embedded`, () => body(freshFolder, 'sqlite'));
  describeWithPostgres(`${name}, on PostgreSQL`, (_empty, databaseWithTables) =>
    body(async () => databaseAt(await databaseWithTables()), 'postgres'),
  );
}

export async function freshFolder(): Promise<TestDatabase> {
  const dataDir = await dataFolder();
  const folder = join(dataDir, 'production');
  const homeName = 'production';
  return {
    engine: 'sqlite',
    open: (clock) => openSqliteStore({ folder, environment: homeName, vault, clock }),
    openBackOffice: (home, clock) => openSqliteBackOffice({ dataDir, homeName, home, clock }),
  };
}

export type NewDatabase = () => Promise<TestDatabase>;

export function databaseAt(url: string, { leaseMs }: { leaseMs?: number } = {}): TestDatabase {
  const log = createLogger('silent', () => {});
  return {
    engine: 'postgres',
    open: (clock) =>
      openPostgresStore({
        url,
        environment: 'production',
        vault,
        clock,
        log,
        ...(leaseMs !== undefined && { leaseMs }),
      }),
    openBackOffice: (home, clock) =>
      openPostgresBackOffice({ url, homeName: 'production', home, clock, log }),
  };
}

export interface AttemptLine {
  delivery_id: string;
  midoffice_id: string;
  attempt: number;
  outcome: string;
  state: string;
}

export interface TestMidoffice {
  id: string;
  partnerId: string;
  keyId: string;
  apiKey: string;
}

export interface RigOptions {
  clock?: ManualClock;
  /** For the leases of shards; by default real time, like the database's clock. */
  leaseClock?: ManualClock;
  settings?: Record<string, string>;
  alertUrl?: string;
  /** When to close it; by default after the test. */
  atEnd?: (end: () => Promise<void>) => void;
}

export class Rig {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly environment: SupportEnvironment;
  readonly delivery: OrderWebhooks;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Every line of the log, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any line.
  readonly lines: any[] = [];
  readonly #logged = new Condition();
  readonly #receivers: WebhookReceiver[] = [];
  #running: { stop(): Promise<void> } | undefined;
  #closed = false;
  #events = 0;

  static async open(database: TestDatabase, options: RigOptions = {}): Promise<Rig> {
    const clock = options.clock ?? new ManualClock();
    const store = await database.open(clock);
    const limiter = await createMemoryLimiter({ clock });
    const rig = new Rig(store, clock, limiter, options);
    (options.atEnd ?? onTestFinished)(() => rig.close());
    return rig;
  }

  private constructor(
    store: Store,
    clock: ManualClock,
    limiter: SupportEnvironment['limiter'],
    { settings = {}, alertUrl, leaseClock }: RigOptions,
  ) {
    const config = readConfig({
      ...LOOPBACK_RECEIVERS,
      ...settings,
    });
    const log = createLogger('info', (line) => this.#note(line));
    this.log = log;
    this.clock = clock;
    this.store = store;
    this.metrics = new Metrics();
    this.delivery = openOrderWebhooks({
      environment: 'production',
      settings: config.production,
      alertUrl,
      store,
      vault,
      clock,
      ...(leaseClock && { leaseClock }),
      log,
      metrics: this.metrics,
    });
    this.environment = {
      name: 'production',
      store,
      vault,
      limiter,
      clock,
      sandboxOffer: config.sandboxOffer,
      webhooks: this.delivery,
      portalUrl: () => 'https://portal.example',
      hasPortal: true,
      sendsMail: true,
    };
  }

  #note(line: string): void {
    this.lines.push(JSON.parse(line));
    this.#logged.look();
  }

  /** What the worker has settled so far, oldest first. */
  get attempts(): AttemptLine[] {
    return this.lines.filter((line) => line.delivery_id !== undefined && line.attempt > 0);
  }

  /** Resolves once this many attempts are settled in all. */
  settled(count: number): Promise<void> {
    return this.#logged.until(() => this.attempts.length >= count);
  }

  logged(text: string, times = 1): Promise<void> {
    return this.#logged.until(() => this.lines.filter((line) => line.msg === text).length >= times);
  }

  async start(): Promise<void> {
    this.#running = await this.delivery.start();
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Receivers first, because a worker that stops waits for those that hang.
    await Promise.all(this.#receivers.map((receiver) => receiver.close()));
    await this.stop();
    await this.delivery.close();
    await this.store.close();
  }

  async receiver(answer?: Answer): Promise<WebhookReceiver> {
    const receiver = await startReceiver(answer, { atEnd: () => {} });
    this.#receivers.push(receiver);
    return receiver;
  }

  /** A partner with a key and a midoffice of its own. */
  async midoffice(url: string, more: Partial<NewMidoffice> = {}): Promise<TestMidoffice> {
    const partner = await createPartner(this.environment, 'test', {
      name: 'Test partner',
      integration_started_on: '2025-11-01',
      is_new: false,
    });
    const key = await createKey(this.environment, 'test', partner.id, {});
    const midoffice = await createMidoffice(this.environment, 'test', {
      name: 'Test midoffice',
      url,
      signing_key_id: key.key_id,
      ...more,
    });
    await updatePartner(this.environment, 'test', partner.id, { midoffice_id: midoffice.id });
    return {
      id: midoffice.id,
      partnerId: partner.id,
      keyId: key.key_id,
      apiKey: key.api_key,
    };
  }

  /** An event for each of these orders, in this order, in one request; their delivery ids. */
  async accept(
    { partnerId }: Pick<TestMidoffice, 'partnerId'>,
    orderIds: readonly string[],
    more: Partial<OrderEventInput> = {},
  ): Promise<string[]> {
    const verdict = await this.delivery.accept(
      orderIds.map((partner_order_id) => ({
        event_id: `event-${++this.#events}-${randomBytes(4).toString('hex')}`,
        type: 'updated',
        partner_id: partnerId,
        partner_order_id,
        ...more,
      })),
    );
    if ('rejection' in verdict) throw new Error(JSON.stringify(verdict.rejection));
    return verdict.results.map((one: AcceptedEvent) => one.delivery_id as string);
  }

  show(id: string) {
    return getDelivery(this.environment, id);
  }

  async states(ids: readonly string[]): Promise<string[]> {
    return Promise.all(ids.map(async (id) => (await this.show(id)).state));
  }
}
