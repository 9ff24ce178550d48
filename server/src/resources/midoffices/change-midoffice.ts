import { newId } from '../../base/ids.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import type { MidofficeRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findUnrevokedKey } from '../keys/key.ts';
import { type Changed, columnsOf, newRow } from '../record.ts';
import { checkUnchangedSince, type Undoing, undoneIn } from '../reverting.ts';
import { certificateColumn, checkCertificate } from './client-certificate.ts';
import { followNewUrls } from './follow-new-url.ts';
import { changedHeaders, checkHeaders, headersColumn } from './headers.ts';
import { oneWithHealth } from './health.ts';
import {
  checkedUrl,
  type Midoffice,
  type MidofficeChanges,
  midoffice,
  type NewMidoffice,
  showMidoffice,
} from './midoffice.ts';
import { midoffices } from './queries.ts';

export async function createMidoffice(
  environment: SupportEnvironment,
  actor: string,
  input: NewMidoffice,
): Promise<Midoffice> {
  const { vault, clock } = environment;
  checkSecrets(input, clock.now());
  // Outside the transaction, because it waits for name servers.
  const url = await checkedUrl(environment, input.url);
  return environment.store.change(actor, async ({ db, now, audit, invalidate }) => {
    await findUnrevokedKey(db, input.signing_key_id);
    const id = newId('mid', now);
    const columns = { ...columnsOf(midoffice, input), url, ...secretColumns(vault, id, input) };
    const row = newRow(midoffice, { id, created_at: now, ...columns });
    await midoffices.insert(db, row);
    await invalidate([row.id]);
    await audit('midoffice.create', row.id, null, showMidoffice(row));
    // Nobody works with it yet, so there is nothing to warn of.
    return { ...showMidoffice(row), health: 'untested', pending: 0, exhausted: 0, warnings: [] };
  });
}

export async function updateMidoffice(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  input: MidofficeChanges,
  undoing?: Undoing,
): Promise<Midoffice> {
  const { vault, clock } = environment;
  const given = columnsOf(midoffice, input);
  checkSecrets(input, clock.now());
  const checked = {
    ...given,
    ...(given.url !== undefined && { url: await checkedUrl(environment, given.url) }),
  };
  const changed = await environment.store.change(actor, async (change) => {
    const { db, audit } = change;
    const before = await midoffices.findToChange(db, id);
    checkUnchangedSince(undoing, showMidoffice(before));
    if (input.signing_key_id !== undefined) await findUnrevokedKey(db, input.signing_key_id);
    const columns = { ...checked, ...secretColumns(vault, id, input, before) };
    await midoffices.patch(db, id, columns);
    const after = { ...before, ...columns };
    await followMidoffices(change, actor, [{ before, after }]);
    const changed = changedHeaders(before.headers, after.headers);
    await audit('midoffice.update', id, showMidoffice(before), {
      ...showMidoffice(after),
      ...(changed.length > 0 && { changed_headers: changed }),
      ...undoneIn(undoing),
    });
    return showMidoffice(after);
  });
  return oneWithHealth(environment.store.db, changed);
}

/** What is stored sealed, as far as it is given. */
export type MidofficeSecrets = Pick<MidofficeChanges, 'headers' | 'client_certificate'>;

/** Everything that can be told without the midoffice. */
export function checkSecrets(given: MidofficeSecrets, nowMs: number): void {
  checkHeaders(given.headers ?? {});
  checkCertificate(given.client_certificate, nowMs);
}

export function secretColumns(
  vault: Vault,
  id: string,
  { headers, client_certificate: pair }: MidofficeSecrets,
  before?: MidofficeRow,
): Partial<Pick<MidofficeRow, keyof MidofficeSecrets>> {
  return {
    ...(headers && { headers: headersColumn(vault, id, headers, before?.headers ?? null) }),
    ...(pair !== undefined && {
      client_certificate: certificateColumn(vault, id, pair, before?.client_certificate ?? null),
    }),
  };
}

/** What a change of midoffices brings about. Their partners are those that they will have. */
export async function followMidoffices(
  { db, now, queue, invalidate, lanesChanged }: Change,
  actor: string,
  changed: readonly Changed<MidofficeRow>[],
): Promise<void> {
  const urls = changed.map(({ before, after }) => ({
    id: after.id,
    before: before.url,
    after: after.url,
  }));
  await followNewUrls(db, actor, urls, now);
  for (const { before, after } of changed) {
    // Applies the new order to pending deliveries too.
    if (after.delivery_order !== before.delivery_order) await queue.restateOrder(after.id);
  }
  const ids = changed.map(({ after }) => after.id);
  await invalidate(ids);
  await lanesChanged(ids);
}
