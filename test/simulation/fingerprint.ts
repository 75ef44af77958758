// A number for an answer of a store: the same for what reads the same, on whatever store it was.

const NOTHING = 0x51ed270b;
const OPAQUE = 0x2c1b3c6d;
const bits = new Float64Array(1);
const halves = new Uint32Array(bits.buffer);

/**
 * Members count by name and not by order. Places in the log and tokens are opaque: each store has
 * its own.
 */
export function fingerprint(value: unknown, incarnation: string): number {
  if (typeof value === 'string') return value === incarnation ? OPAQUE : ofText(value);
  if (typeof value === 'number') return ofNumber(value);
  if (typeof value === 'boolean') return value ? 1 : 2;
  if (typeof value !== 'object' || value === null) return NOTHING;
  if (Array.isArray(value)) {
    let hash = 3;
    for (const item of value) hash = mix(hash, fingerprint(item, incarnation));
    return hash;
  }
  let sum = 4;
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    // A store's own number of a claimed job: some have none.
    if (member === undefined || (name === 'key' && 'token' in value)) continue;
    sum = (sum + mix(ofText(name), ofMember(name, member, incarnation))) | 0;
  }
  return mix(sum, 5);
}

/** The body of a record is read, since there may be a place in the log inside. */
function ofMember(name: string, member: unknown, incarnation: string): number {
  if (typeof member !== 'string') return fingerprint(member, incarnation);
  if (name === 'cursor' || name === 'position' || name === 'token') return OPAQUE;
  return fingerprint(name === 'body' ? JSON.parse(member) : member, incarnation);
}

function mix(hash: number, more: number): number {
  const mixed = Math.imul(hash ^ more, 0x9e3779b1);
  return (Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) + more) | 0;
}

function ofNumber(value: number): number {
  bits[0] = value;
  return mix(mix(6, halves[0]!), halves[1]!);
}

function ofText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return mix(hash, text.length);
}
