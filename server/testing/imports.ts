/** What each file of the server imports, or any other, read with the parser that Vite brings. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

export interface Import {
  /** A path, relative to where the importing file's is, or the name of a package. */
  of: string;
  /** `type`: gone at run time. `later`: by `import()`. */
  kind: 'value' | 'type' | 'later';
}

/** The code of each file, without tests. Paths are relative to src. */
export function readSources(): Map<string, string> {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const code = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return new Map(code.sort().map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));
}

export function readImports(): Map<string, Import[]> {
  return new Map([...readSources()].map(([file, source]) => [file, importsOf(file, source)]));
}

export function importsOf(file: string, source: string): Import[] {
  const { module, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const imports: Import[] = module.staticImports.map(({ moduleRequest, entries }) => ({
    of: nameOf(file, moduleRequest.value),
    kind: entries.length > 0 && entries.every(({ isType }) => isType) ? 'type' : 'value',
  }));
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (!moduleRequest) continue;
      imports.push({ of: nameOf(file, moduleRequest.value), kind: isType ? 'type' : 'value' });
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const name = source.slice(moduleRequest.start + 1, moduleRequest.end - 1);
    imports.push({ of: nameOf(file, name), kind: 'later' });
  }
  return imports;
}

function nameOf(file: string, request: string): string {
  return request.startsWith('.') ? join(dirname(file), request) : request;
}

/** Sets of nodes that can all be reached from each other (Tarjan's algorithm). */
export function circles(arrows: ReadonlyMap<string, Iterable<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];

  function visit(node: string): number {
    let lowest = index.size;
    index.set(node, lowest);
    low.set(node, lowest);
    stack.push(node);
    for (const next of arrows.get(node) ?? []) {
      if (!index.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, low.get(next) ?? lowest);
    }
    low.set(node, lowest);
    if (lowest === index.get(node)) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) found.push(circle.sort());
    }
    return lowest;
  }

  for (const node of arrows.keys()) if (!index.has(node)) visit(node);
  return found;
}
