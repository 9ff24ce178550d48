import Type from 'typebox';
import { reply, words } from '../forms.ts';

export const SearchResult = reply('SearchResult', {
  items: Type.Array(
    reply('SearchHit', {
      kind: words(['partner', 'key', 'midoffice', 'delivery']),
      id: Type.String(),
      title: Type.String(),
      detail: Type.String(),
    }),
  ),
});
