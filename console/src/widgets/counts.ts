export function deliveriesInWords(count: number): string {
  return count === 1 ? '1 delivery' : `${count.toLocaleString('en')} deliveries`;
}
