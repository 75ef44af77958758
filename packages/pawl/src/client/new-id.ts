const HEX = 16;

/** A UUIDv7 by the Web's own means: this side may run where there is no Node. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let moment = Date.now();
  for (let place = 5; place >= 0; place--) {
    bytes[place] = moment % 256;
    moment = Math.floor(moment / 256);
  }
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(HEX).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
