/** What may be written of a value. */
export type Redacted = string | number | boolean | null | Redacted[] | { [name: string]: Redacted };

export const HIDDEN = '[redacted]';
const DEPTH_MAX = 6;
const MEMBERS_MAX = 100;
const TEXT_MAX = 8_192;

/** Names whose values are secrets, or payloads, which are nobody's business but their owners'. */
const SECRET_NAMES = new RegExp(
  [
    'authorization',
    'cookie',
    'password',
    'passwd',
    'secret',
    'token',
    'api[-_]?key',
    'access[-_]?key',
    'private[-_]?key',
    'link[-_]?keys',
    'signature',
    'credential',
    'dsn',
    'connection[-_]?string',
    'database[-_]?url',
  ].join('|'),
  'i',
);

const PAYLOADS: ReadonlySet<string> = new Set([
  'input',
  'result',
  'payload',
  'body',
  'checkpoint',
  'metadata',
]);

/**
 * Secrets by their looks, wherever they stand; what is kept of a match is its first group. Where a
 * match can begin at many places its length is bounded, lest a hostile text take quadratic time.
 */
const PATTERNS: readonly RegExp[] = [
  /\b(pawl_[0-9A-Za-z]{12}_)[0-9A-Za-z]{8,}/g,
  /\b((?:Bearer|Basic|Digest)\s+)[^\s"',;]+/gi,
  /\b()eyJ[\w-]{8,4096}\.[\w-]+\.[\w-]*/g,
  /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/gi,
  /([?&](?:[\w-]*(?:signature|token|secret|password|credential|api_?key)|sig|key)=)[^&\s"']+/gi,
  /\b((?:password|passwd|pwd|secret|token|api[-_]?key)["']?\s*[=:]\s*["']?)[^\s"',;&]+/gi,
  /\b()(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(whsec_)[\w+/=-]+/g,
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)(?!\[redacted\])[\s\S]*?(?:-----END [A-Z ]*KEY-----|$)/g,
];

/** The value with secrets and payloads taken out, and no larger than a line should be. */
export function redacted(value: unknown): Redacted {
  return look(value, { depth: 0, seen: new Set() });
}

interface Place {
  readonly depth: number;
  readonly seen: ReadonlySet<object>;
}

function look(value: unknown, place: Place): Redacted {
  switch (typeof value) {
    case 'string':
      return redactedText(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      return value === null ? null : lookInside(value, place);
    case 'undefined':
      return null;
    default:
      return redactedText(String(value));
  }
}

function lookInside(value: object, { depth, seen }: Place): Redacted {
  if (seen.has(value) || depth >= DEPTH_MAX) return '[…]';
  const inner = { depth: depth + 1, seen: new Set([...seen, value]) };
  if (value instanceof Date) return redactedText(String(value));
  if (value instanceof Error) return redactedText(value.stack ?? String(value));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MEMBERS_MAX).map((one) => look(one, inner));
  const members = Object.entries(value).slice(0, MEMBERS_MAX);
  return Object.fromEntries(
    members.map(([name, member]) => [
      redactedText(name),
      isSecret(name) ? HIDDEN : look(member, inner),
    ]),
  );
}

function isSecret(name: string): boolean {
  return PAYLOADS.has(name) || isSecretName(name);
}

/** Whether a member of this name holds a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.test(name);
}

/** A text with the secrets in it taken out, and no longer than a line should be. */
export function redactedText(text: string): string {
  // Cut first: what a pattern has to look through is bounded, and a secret cut in two is still met.
  return withoutSecrets(text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
}

/** A text with the secrets in it taken out. Doing it twice changes nothing. */
export function withoutSecrets(text: string): string {
  return PATTERNS.reduce((rest, pattern) => rest.replaceAll(pattern, `$1${HIDDEN}`), text);
}
