/**
 * The operator's one colour as the style sheet of the portal's accents. An operator chooses it to match a logo, and may
 * choose one that nobody can read: it is darkened for light pages, and lightened for dark ones, until text in it has the
 * contrast that WCAG asks for.
 */
import type { Rgb } from '../base/config/brand.ts';

/** WCAG 2.2, 1.4.3, for text of any size. */
export const LEAST_CONTRAST = 4.5;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The darkest ground of light pages and the lightest one of dark pages, from the console's tokens.css. */
const LIGHT_GROUND: Rgb = [243, 243, 240];
const DARK_GROUND: Rgb = [36, 41, 50];
const STEP = 0.02;

export interface Accent {
  /** Of links, buttons and marks. */
  accent: Rgb;
  /** Behind what is chosen. */
  soft: Rgb;
  /** Text on the accent. */
  on: Rgb;
}

export function accentsOf(color: Rgb): { light: Accent; dark: Accent } {
  return {
    light: accentOn(color, LIGHT_GROUND, {
      soft: mixed(color, WHITE, 0.9),
      towards: BLACK,
      on: WHITE,
    }),
    dark: accentOn(color, DARK_GROUND, {
      soft: mixed(color, [27, 30, 37], 0.85),
      towards: WHITE,
      on: [20, 22, 27],
    }),
  };
}

function accentOn(
  color: Rgb,
  ground: Rgb,
  { soft, towards, on }: { soft: Rgb; towards: Rgb; on: Rgb },
): Accent {
  const isReadable = (accent: Rgb) =>
    [ground, soft, on].every((other) => contrast(accent, other) >= LEAST_CONTRAST);
  let share = 0;
  while (share < 1 && !isReadable(mixed(color, towards, share))) share += STEP;
  return { accent: mixed(color, towards, Math.min(share, 1)), soft, on };
}

/** For every page; without a colour, each environment has its own. */
export function brandCss(color: Rgb | undefined): string {
  if (!color) return '';
  const { light, dark } = accentsOf(color);
  const pair = (name: keyof Accent) => `light-dark(${hex(light[name])}, ${hex(dark[name])})`;
  const accents = `--accent: ${pair('accent')}; --accent-soft: ${pair('soft')}; --on-accent: ${pair('on')};`;
  // The sandbox stays striped, in the operator's colour: the environment must show on every page.
  return `:root:root, :root:root[data-environment] { ${accents} }
:root:root[data-environment="sandbox"] {
  --band: repeating-linear-gradient(-45deg, var(--accent) 0 10px, var(--accent-soft) 10px 20px);
}
`;
}

export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** `share` is that of the other colour. */
function mixed(color: Rgb, other: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(color[at] * (1 - share) + other[at] * share);
  return [part(0), part(1), part(2)];
}

function hex(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
