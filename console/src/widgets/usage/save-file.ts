/** Lets the browser save a file that was read with a header, which a link cannot send. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has to start the download before the address may go.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
