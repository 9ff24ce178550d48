/** The saved views of a list, and buttons to save the one that is shown or to share it by its link. */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { parseSearch } from '../../app/search-params.ts';
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
    <ChipRow label="Views">
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
          Forget this view
        </Button>
      ) : (
        isFiltered && (
          <Button kind="quiet" onClick={() => setNaming(true)}>
            Save this view…
          </Button>
        )
      )}
      {isFiltered && (
        <>
          <Button kind="quiet" onClick={() => void copy(location.href)}>
            {copied ? 'Link copied' : 'Copy link'}
          </Button>
          <Copied isTrue={copied} />
        </>
      )}
      {isNaming && (
        <TextDialog
          title="Save this view"
          submit="Save"
          label="Name"
          hint="This browser keeps it. To share it, send its link."
          field="name"
          maxLength={LONGEST_VIEW_NAME}
          onSave={async (name) => {
            change(withView(views, { name, search: searchStr }));
            announce(`Saved the view ${name}.`);
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </ChipRow>
  );
}
