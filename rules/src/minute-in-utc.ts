/** Times in the sentences of the server: "2026-01-31 12:00 UTC". Pages show them in the zone and the form of the viewer. */

/** `at`: ISO 8601 or milliseconds since 1970. */
export function minuteInUtc(at: string | number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The sentence with each of its times as `show` says it. */
export function withMinutes(sentence: string, show: (iso: string) => string): string {
  return sentence.replace(/\b(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC\b/g, (_, date, clock) =>
    show(`${date}T${clock}Z`),
  );
}
