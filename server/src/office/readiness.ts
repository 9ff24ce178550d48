/**
 * Whether a balancer may send calls here: to one environment, and to the whole process. If a database is unreachable or
 * read-only, calls fail, so its environment is not ready. If Redis is unreachable, each node enforces the limits on its
 * own, so it is only degraded: taking every node out of service would be worse. It is degraded, too, for as long as it
 * may serve known keys without its database, and while the mail server takes no mails, which wait.
 */
import type { EnvironmentName } from '../base/config/settings.ts';
import { storageTroubleOf, storageTroubles } from '../store/storage-trouble.ts';
import type { Store } from '../store/store.ts';
import type { PartnerSide } from './partner-side.ts';

interface Readiness {
  status: 'ready' | 'degraded' | 'not ready';
  /** Whole sentences; empty if there are no problems. */
  troubles: string[];
}

export interface ReadinessParts {
  environments: ReadonlyMap<EnvironmentName, { store: Pick<Store, 'ping' | 'outage'> }>;
  partnerSide: Pick<PartnerSide, 'health'>;
  /** A sentence while the thread of the partner API does not answer. */
  trouble(): string | undefined;
  /** Sentences while the mail server does not take mails. */
  mailTroubles(): string[];
}

/** Of one environment, as its balancer asks, or of the whole process. */
export async function readReadiness(
  { environments, partnerSide, trouble, mailTroubles }: ReadinessParts,
  only?: EnvironmentName,
): Promise<Readiness> {
  const found = trouble();
  // While the other thread does not answer, asking it is pointless.
  if (found !== undefined) return { status: 'not ready', troubles: [found] };
  const asked = [...environments].filter(([name]) => only === undefined || name === only);
  const databases = await Promise.all(
    asked.map(async ([name, { store }]) => [name, await askDatabase(store)] as const),
  );
  // After the databases, because asking tells the stores whether a disk works again.
  const there = await withTimeout(partnerSide.health()).catch(() => undefined);
  // Both threads use the same sentence for the same disk, and the set keeps it once.
  const broken = new Set<string>();
  const degraded: string[] = [];
  if (!there) broken.add('The partner API does not answer.');
  if (there?.isStopping) broken.add('This process is about to stop.');
  for (const [name, database] of databases) {
    const { limits, storage, bridge } = there?.environments[name] ?? {};
    if (limits) degraded.push(`${name}: ${limits}`);
    if (database.bridged && bridge) degraded.push(`${name}: ${bridge}`);
    else if (database.trouble) broken.add(`${name}: ${database.trouble}`);
    else if (database.refusal) degraded.push(`${name}: ${database.refusal}.`);
    if (storage) broken.add(`${name}: ${storage}`);
  }
  if (only === undefined) degraded.push(...mailTroubles());
  if (broken.size > 0) return { status: 'not ready', troubles: [...broken, ...degraded] };
  return { status: degraded.length > 0 ? 'degraded' : 'ready', troubles: degraded };
}

interface DatabaseState {
  trouble?: string;
  /** It answers on the connections that are open, but opens no more. */
  refusal?: string | undefined;
  /** As far as this thread knows, calls of known keys may go on although it does not answer. */
  bridged?: boolean;
}

async function askDatabase(store: Pick<Store, 'ping' | 'outage'>): Promise<DatabaseState> {
  const { outage } = store;
  const away = () => ({
    trouble: `${outage.refusal() ?? 'the database does not answer'}.`,
    bridged: outage.mayGoOn(),
  });
  // Asking would take until the deadline of the answer, and a balancer would give up sooner.
  if (outage.isAway() && outage.mayGoOn()) return away();
  try {
    await withTimeout(store.ping());
    return { refusal: outage.refusal() };
  } catch (error) {
    const trouble = storageTroubleOf(error);
    return trouble ? { trouble: storageTroubles[trouble] } : away();
  }
}

/** For health checks and metrics: whoever asks learns that something hangs because its answer is missing. */
const TIMEOUT_MS = 2_000;

export async function withTimeout<T>(work: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
