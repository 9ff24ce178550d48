/** Text in which `backticks` mark code; everything else of Markdown stays as it was written. */
export function Inline({ text }: { text: string }) {
  return text
    .split('`')
    .map((piece, index) =>
      index % 2 === 1 ? <code key={index}>{piece}</code> : <span key={index}>{piece}</span>,
    );
}
