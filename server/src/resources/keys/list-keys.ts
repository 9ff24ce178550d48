/** The list of keys, each with the name of its partner. */
import type { Static } from 'typebox';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import * as forms from '../forms.ts';
import type { Page } from '../page.ts';
import { partners } from '../partners/queries.ts';
import type { ListRequest } from '../record-list.ts';
import { Key, type KeySearch, listKeys } from './key.ts';

export const ListedKey = forms.reply('ListedKey', {
  ...Key.properties,
  partner_name: like(story.partner),
});

export async function listNamedKeys(
  environment: SupportEnvironment,
  request: ListRequest<'keys'> & KeySearch,
): Promise<Page<Static<typeof ListedKey>>> {
  const page = await listKeys(environment, request);
  const ids = new Set(page.items.map(({ partner_id }) => partner_id));
  const theirs = await partners.readAll(environment.store.db, [...ids]);
  const items = page.items.map((one) => ({
    ...one,
    partner_name: theirs.get(one.partner_id)?.name ?? '',
  }));
  return { ...page, items };
}
