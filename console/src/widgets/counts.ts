export function inWords(count: number): string {
  return count === 1 ? '1 delivery' : `${count.toLocaleString('en')} deliveries`;
}
