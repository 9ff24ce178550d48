/** TypeScript does not know the classes of a CSS module, so this test compares them, also for the portal. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', '..');
const files = ['console/src', 'portal/src'].flatMap((source) =>
  readdirSync(join(folder, source), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(source, name),
  ),
);
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** Classes that the code picks by a value: `styles[tone]`. */
const pickedByValue: Record<string, string[]> = {
  'Badge.module.css': ['good', 'bad', 'warn', 'accent'],
  'Button.module.css': ['primary', 'danger', 'quiet'],
  'EnvironmentSwitch.module.css': ['production', 'sandbox'],
  'Method.module.css': ['get', 'post', 'put', 'patch', 'delete'],
  'Note.module.css': ['bad', 'warn'],
  'UrlField.module.css': ['good', 'bad', 'none'],
};

function classesIn(css: string): string[] {
  const selectors = css.replace(/\/\*[\s\S]*?\*\//g, '').match(/[^{}]+(?=\{)/g) ?? [];
  return selectors
    .filter((selector) => !selector.trim().startsWith('@'))
    .flatMap((selector) => [...selector.matchAll(/\.([a-z]\w*)/gi)].map(([, name]) => name ?? ''));
}

const used = new Map<string, Set<string>>();
for (const file of files.filter((name) => name.endsWith('.tsx'))) {
  const code = read(file);
  for (const [, name, from] of code.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)) {
    const module = join(dirname(file), from ?? '');
    const known = used.get(module) ?? new Set(pickedByValue[basename(module)]);
    for (const [, one] of code.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g')))
      known.add(one ?? '');
    used.set(module, known);
  }
}

test.for(files.filter((name) => name.endsWith('.module.css')))(
  'the code uses exactly the classes of %s',
  (module) => {
    const defined = new Set(classesIn(read(module)));
    expect([...(used.get(module) ?? [])].sort()).toEqual([...defined].sort());
  },
);
