/** How OTEL_* variables are read. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** An empty value counts as unset. */
export function given(variables: Variables, name: string): string | undefined {
  return variables[name]?.trim() || undefined;
}

/** A variable for traces comes before the same one for everything. */
export function tracesOrAll(variables: Variables, name: string): string | undefined {
  return (
    given(variables, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ??
    given(variables, `OTEL_EXPORTER_OTLP_${name}`)
  );
}

/**
 * `a=b,c=d`, with percent-encoded values. Parts that are not a pair, or that `isUsable` rejects, are ignored. The
 * values may be secrets, so no warning repeats them.
 */
export function pairs(
  variables: Variables,
  name: string,
  warnings: string[],
  isUsable: (name: string, value: string) => boolean = () => true,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of (given(variables, name) ?? '').split(',')) {
    if (pair.trim() === '') continue;
    const [, key = '', text = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    const value = decoded(text);
    if (key !== '' && value !== undefined && isUsable(key, value)) found[key] = value;
    else warnings.push(`${name} must be a list of name=value. One part of it is ignored.`);
  }
  return found;
}

/** Without percent-encoding; undefined if the encoding is wrong. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
