/** Light or dark: as the system says, unless the viewer has chosen; the choice is remembered. */
const PLACE = 'bellhop.theme';

export type Theme = 'system' | 'light' | 'dark';

export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(PLACE);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    if (theme === 'system') localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, theme);
  } catch {
    // A browser that keeps nothing still shows the choice until the page is closed.
  }
}
