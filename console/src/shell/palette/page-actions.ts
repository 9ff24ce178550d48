/**
 * The actions of the page at hand are its buttons: those beside its title, and any other that has a `command`. So the list
 * is never out of date, a button that is disabled is not offered, and choosing an action does what a click does.
 */
import type { Entry } from './entries.ts';

const ACTIONS = 'main :is([data-actions] :is(a, button), [data-command])';
/** Of several views of the same, the one that is chosen is marked as pressed. */
const NOT_OFFERED = ':disabled, [aria-pressed]';

export function pageActions(): Entry[] {
  const titles = new Set<string>();
  return elements().flatMap((element) => {
    const title = titleOf(element);
    if (title === '' || titles.has(title)) return [];
    titles.add(title);
    return [{ id: `action/${title}`, title, open: () => act(title) }];
  });
}

function elements(): HTMLElement[] {
  const all = [...document.querySelectorAll<HTMLElement>(ACTIONS)];
  return all.filter(
    (one) => one.checkVisibility() && !one.closest('[inert]') && !one.matches(NOT_OFFERED),
  );
}

/** The page may have drawn the button again since it was listed. The dialog that it opens gives it the focus back. */
function act(title: string): void {
  const element = elements().find((one) => titleOf(one) === title);
  element?.focus();
  element?.click();
}

function titleOf({ dataset, textContent }: HTMLElement): string {
  return (dataset.command ?? textContent ?? '').trim();
}
