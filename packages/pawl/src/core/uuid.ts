const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in lower case. It does not need Node, so browsers can use it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
