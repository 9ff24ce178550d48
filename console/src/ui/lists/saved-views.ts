/**
 * Views of a list that somebody has saved: a name, and the filters and order in its address. The browser keeps them, for
 * each list of each environment. To share one, its link is enough: whoever opens it sees the same list.
 */
import { keepChoice, readChoice } from '../../app/kept-choice.ts';

export interface SavedView {
  name: string;
  /** The query of the address, such as "?state=pending". */
  search: string;
}

export const MOST_VIEWS = 20;
export const LONGEST_VIEW_NAME = 60;

/** Without what somebody else wrote into the storage. */
export function readViews(list: string): SavedView[] {
  return parseViews(readChoice(keyOf(list)));
}

export function parseViews(text: string | null): SavedView[] {
  try {
    const views: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(views) ? views.filter(isView).slice(0, MOST_VIEWS) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, search } = value as Partial<SavedView>;
  return typeof name === 'string' && name !== '' && typeof search === 'string';
}

/** A view of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  const others = views.filter(({ name }) => name !== view.name);
  return [...others, view].slice(-MOST_VIEWS);
}

export function keepViews(list: string, views: readonly SavedView[]): void {
  keepChoice(keyOf(list), views.length === 0 ? null : JSON.stringify(views));
}

function keyOf(list: string): string {
  return `views ${list}`;
}
