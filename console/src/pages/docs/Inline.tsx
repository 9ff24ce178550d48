/** Text with code in `backticks`. Other Markdown is shown as it is written. */
export function Inline({ text }: { text: string }) {
  return text
    .split('`')
    .map((piece, index) =>
      index % 2 === 1 ? <code key={index}>{piece}</code> : <span key={index}>{piece}</span>,
    );
}
