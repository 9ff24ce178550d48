/** Light or dark: the system's setting, unless the viewer has chosen. The browser keeps the choice. */
const STORAGE_KEY = 'bellhop.theme';

export type Theme = 'system' | 'light' | 'dark';

export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(STORAGE_KEY);
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
    if (theme === 'system') localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Without storage the choice holds until the page is closed.
  }
}
