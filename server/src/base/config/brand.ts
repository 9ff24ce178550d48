/**
 * How the operator's portal looks: a name, a logo and one colour. Read with the settings, so that a wrong file stops the
 * start and not a partner's browser.
 */
import { readFileSync } from 'node:fs';
import { BadValue } from './values.ts';

const LONGEST_NAME = 60;
/** Every visitor loads it before anything else. */
const LARGEST_LOGO_BYTES = 100_000;

export interface Logo {
  content: Buffer;
  type: string;
}

export function portalName(text: string): string {
  const name = text.trim();
  if (name === '' || [...name].length > LONGEST_NAME || /\p{Cc}|\p{Cf}/u.test(name)) {
    throw new BadValue(`must have 1 to ${LONGEST_NAME} printable characters`);
  }
  return name;
}

/** What a file is says its content; its name may say anything. */
const kinds: [type: string, isOne: (content: Buffer) => boolean][] = [
  ['image/png', (content) => content.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n'],
  [
    'image/webp',
    (content) =>
      content.subarray(0, 4).toString('latin1') === 'RIFF' &&
      content.subarray(8, 12).toString('latin1') === 'WEBP',
  ],
  [
    'image/svg+xml',
    (content) => /^\s*(?:<\?xml[^>]*>|<!--[^>]*-->|\s)*<svg[\s>]/.test(start(content)),
  ],
];

export function logoFile(path: string): Logo {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    throw new BadValue(
      `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  if (content.length > LARGEST_LOGO_BYTES) {
    throw new BadValue(`names a file of more than ${LARGEST_LOGO_BYTES / 1_000} kB`);
  }
  const kind = kinds.find(([, isOne]) => isOne(content));
  if (!kind) throw new BadValue('must name an SVG, PNG or WebP image');
  return { content, type: kind[0] };
}

function start(content: Buffer): string {
  return content.subarray(0, 1_000).toString('utf8');
}

export type Rgb = readonly [red: number, green: number, blue: number];

export function color(text: string): Rgb {
  const digits = /^#([0-9a-f]{6})$/i.exec(text)?.[1];
  if (!digits) throw new BadValue(`must be a colour such as #0a6b4f, not "${text}"`);
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
