/** A list of what blank lines separate: the codes of a reply, for example. */
export function Items({ text }: { text: string }) {
  const items = text.split(/\n{2,}/);
  if (items.length < 2) return <Inline text={text} />;
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>
          <Inline text={item} />
        </li>
      ))}
    </ul>
  );
}

/** Text with code in `backticks`. Other Markdown is shown as it is written. */
export function Inline({ text }: { text: string }) {
  return text
    .split('`')
    .map((piece, index) =>
      index % 2 === 1 ? <code key={index}>{piece}</code> : <span key={index}>{piece}</span>,
    );
}
