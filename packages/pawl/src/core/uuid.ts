const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Apart from where ids are made, which needs Node: clients in a browser look at ids too. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
