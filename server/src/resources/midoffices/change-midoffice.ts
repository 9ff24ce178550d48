import { newId } from '../../base/ids.ts';
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
  checkHeaders(input.headers ?? {});
  checkCertificate(input.client_certificate, clock.now());
  // Outside the transaction, because it waits for name servers.
  const url = await checkedUrl(environment, input.url);
  return environment.store.change(actor, async ({ db, now, audit, invalidate }) => {
    await findUnrevokedKey(db, input.signing_key_id);
    const id = newId('mid', now);
    const headers = headersColumn(vault, id, input.headers ?? {}, null);
    const client_certificate = certificateColumn(vault, id, input.client_certificate ?? null, null);
    const columns = { ...columnsOf(midoffice, input), url, headers, client_certificate };
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
  checkHeaders(input.headers ?? {});
  checkCertificate(input.client_certificate, clock.now());
  const checked = {
    ...given,
    ...(given.url !== undefined && { url: await checkedUrl(environment, given.url) }),
  };
  const changed = await environment.store.change(actor, async (change) => {
    const { db, audit } = change;
    const before = await midoffices.findToChange(db, id);
    checkUnchangedSince(undoing, showMidoffice(before));
    if (input.signing_key_id !== undefined) await findUnrevokedKey(db, input.signing_key_id);
    const columns = {
      ...checked,
      ...(input.headers && {
        headers: headersColumn(vault, id, input.headers, before.headers),
      }),
      ...(input.client_certificate !== undefined && {
        client_certificate: certificateColumn(
          vault,
          id,
          input.client_certificate,
          before.client_certificate,
        ),
      }),
    };
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
