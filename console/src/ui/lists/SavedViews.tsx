/** The saved views of a list, and buttons to save the one that is shown or to share it by its link. */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { parseSearch } from '../../app/search-params.ts';
import { words } from '../../words/words.ts';
import { TextDialog } from '../dialogs/TextDialog.tsx';
import { Button } from '../forms/Button.tsx';
import { ChipRow, Chips } from '../forms/Chips.tsx';
import { announce } from '../page/announce.ts';
import { Copied } from '../text/CopyButton.tsx';
import { useCopy } from '../text/use-copy.ts';
import {
  keepViews,
  LONGEST_VIEW_NAME,
  readViews,
  type SavedView,
  withView,
} from './saved-views.ts';

export function SavedViews({ isFiltered }: { isFiltered: boolean }) {
  const { pathname, searchStr } = useLocation();
  const navigate = useNavigate();
  const { copied, copy } = useCopy();
  const [views, setViews] = useState(() => readViews(pathname));
  const [isNaming, setNaming] = useState(false);
  const shown = views.find(({ search }) => search === searchStr);
  function change(next: SavedView[]) {
    setViews(next);
    keepViews(pathname, next);
  }
  if (views.length === 0 && !isFiltered) return null;
  return (
    <ChipRow label={words.views.title}>
      <Chips
        options={views.map(({ name }) => ({ value: name, label: name }))}
        value={shown?.name}
        onChange={(name) => {
          const search = views.find((view) => view.name === name)?.search ?? '';
          void navigate({ to: '.', search: parseSearch(search) });
        }}
      />
      {shown ? (
        <Button kind="quiet" onClick={() => change(views.filter((view) => view !== shown))}>
          {words.views.forget}
        </Button>
      ) : (
        isFiltered && (
          <Button kind="quiet" onClick={() => setNaming(true)}>
            {words.views.save}
          </Button>
        )
      )}
      {isFiltered && (
        <>
          <Button kind="quiet" onClick={() => void copy(location.href)}>
            {copied ? words.views.linkCopied : words.views.copyLink}
          </Button>
          <Copied isTrue={copied} />
        </>
      )}
      {isNaming && (
        <TextDialog
          title={words.views.saveTitle}
          submit={words.views.saveSubmit}
          label={words.views.name}
          hint={words.views.nameHint}
          field="name"
          maxLength={LONGEST_VIEW_NAME}
          onSave={async (name) => {
            change(withView(views, { name, search: searchStr }));
            announce(words.views.saved(name));
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </ChipRow>
  );
}
