/**
 * The listeners' Content-Security-Policy allows neither inline scripts nor inline styles. VitePress has some of both: two
 * small scripts become files, the colours of code and the alignment of columns become classes, and what is left
 * of inline styles, which browsers would refuse anyway, is removed.
 */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import type { MarkdownRenderer } from 'vitepress';
import { attachedPath } from './links.ts';
import { repository } from './pages.ts';

const BASE = '/docs/';
const INLINE_SCRIPT = /<script(?![^>]* src=)[^>]*>([\s\S]+?)<\/script>/g;
const INLINE_STYLE = / style="[^"]*"/g;
const ICON = join(repository, 'console', 'public', 'bell.svg');

export const classesOfCode = transformerStyleToClass({ classPrefix: 'code-' });

/** By the path of the file that each becomes. */
const scripts = new Map<string, string>();

export function withoutInline(html: string): string {
  const moved = html.replace(INLINE_SCRIPT, (_, code: string) => {
    const name = createHash('sha256').update(code).digest('hex').slice(0, 8);
    scripts.set(`assets/inline.${name}.js`, code);
    return `<script src="${BASE}assets/inline.${name}.js"></script>`;
  });
  return moved.replace(INLINE_STYLE, '');
}

/** `text-align` of the columns of a table. */
export function alignWithClasses(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('align-with-classes', ({ tokens }) => {
    for (const token of tokens) {
      const [, side] = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '') ?? [];
      if (!side) continue;
      token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null;
      token.attrJoin('class', `align-${side}`);
    }
  });
}

/** Writes the files that the pages refer to, besides what VitePress has written. */
export async function finish(outDir: string, attached: ReadonlySet<string>): Promise<void> {
  await write(join(outDir, 'assets', 'code.css'), classesOfCode.getCSS());
  for (const [path, code] of scripts) await write(join(outDir, path), code);
  for (const file of attached) await copy(join(repository, file), join(outDir, attachedPath(file)));
  await copy(ICON, join(outDir, 'bell.svg'));
}

async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
}
