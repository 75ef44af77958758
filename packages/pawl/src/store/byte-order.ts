/** Databases order text by its UTF-8 bytes, JavaScript by UTF-16 units. */
export function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
