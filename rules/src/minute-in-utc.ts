/** Times in the sentences of the server: "2026-01-31 12:00 UTC". Pages show them in the zone and the form of the viewer. */

/** Whether a text is a time in ISO 8601. A label or a note may only look like one. */
export function isTime(text: string): boolean {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
  return form.test(text) && !Number.isNaN(Date.parse(text));
}

/** `at`: ISO 8601 or milliseconds since 1970. */
export function minuteInUtc(at: string | number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The sentence with each of its times as `show` says it. */
export function withMinutes(sentence: string, show: (iso: string) => string): string {
  return sentence.replace(/\b(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC\b/g, (text, date, clock) => {
    const iso = `${date}T${clock}Z`;
    return isTime(iso) ? show(iso) : text;
  });
}
