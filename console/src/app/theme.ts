/** Light or dark: the system's setting, unless the viewer has chosen. The browser keeps the choice. */
import { keepChoice, readChoice } from './kept-choice.ts';

export type Theme = 'system' | 'light' | 'dark';

export function chosenTheme(): Theme {
  const kept = readChoice('theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  keepChoice('theme', theme === 'system' ? null : theme);
}
