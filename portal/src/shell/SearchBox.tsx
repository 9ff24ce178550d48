/** Opens what happened to an order or a call by its id, besides what every search box finds. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Palette } from '../../../console/src/shell/palette/Palette.tsx';
import { useView } from '../app/view.tsx';
import { words } from '../words/words.ts';
import { usePlaces } from './use-places.ts';

export function SearchBox() {
  const { links } = useView();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const id = text.trim();
  const ofId = { id, title: words.search.happened(id), open: () => void navigate(links.case(id)) };
  return (
    <Palette
      label={words.search.label}
      placeholder={words.search.placeholder}
      text={text}
      onText={setText}
      places={usePlaces()}
      found={[{ title: words.search.id, entries: id === '' ? [] : [ofId] }]}
      isSearching={false}
      status=""
    />
  );
}
