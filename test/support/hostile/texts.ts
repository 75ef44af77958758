// Texts that nobody expects, for whoever takes texts from somebody else.
import { fc } from '../properties.ts';

/** What no database can hold. */
export const UNSTORABLE: Readonly<Record<string, string>> = {
  'a NUL': 'before\u0000after',
  'only NULs': '\u0000\u0000',
  'a lone high surrogate': 'before\ud83dafter',
  'a lone low surrogate': 'before\ude00after',
  'a pair the wrong way round': '\ude00\ud83d',
  'a pair that was cut in two': 'a horse: \ud83d',
};

/** What every database can hold, and somebody may still stumble over. */
export const ODD: Readonly<Record<string, string>> = {
  nothing: '',
  'a blank': ' ',
  'the replacement character itself': '\ufffd',
  'all control characters but NUL': String.fromCharCode(
    ...Array.from({ length: 31 }, (_, code) => code + 1),
  ),
  'a terminal escape': '\u001b[31mred\u001b[0m\u0007',
  'line ends of all kinds': 'a\nb\r\nc\u2028d\u2029e\u0085f',
  'right to left': '\u202etxt.exe\u202c',
  'of no width': 'a\u200bb\u200d\u2060c\u00ad',
  'marks on marks': `z${'\u0335\u0327'.repeat(50)}`,
  'a byte order mark': '\ufefftext',
  'quotes and backslashes': `'"\\\\u0000 \\" \${x} %s {{y}} <b>`,
  'beyond the first plane': '💥𝒳🏳️‍🌈',
  'a word of JavaScript': '__proto__',
};

/** More than a name may have, and more than a body may have in one piece. */
export const LONG: Readonly<Record<string, string>> = {
  'a long one': '€'.repeat(5_000),
  'a very long one': 'long '.repeat(60_000),
};

/** The secret of each; nothing of it may be kept. */
export const SECRETS: Readonly<Record<string, string>> = {
  'postgres://app:hunter2hunter2@db.example/jobs': 'hunter2hunter2',
  'authorization: Bearer abcdefghijklmnop': 'abcdefghijklmnop',
  'password=correct-horse-battery': 'correct-horse-battery',
  'https://files.example/a?X-Amz-Signature=0123456789abcdef': '0123456789abcdef',
};

/** Any sequence of UTF-16 units at all. */
export const anyUnits: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xff_ff }), fc.constantFrom(0, 0xd8_3d, 0xde_00, 92)))
  .map((units) => String.fromCharCode(...units));

/** All of the above, and long ones. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  anyUnits,
  fc.constantFrom(...Object.values(UNSTORABLE), ...Object.values(ODD), ...Object.keys(SECRETS)),
  fc
    .tuple(fc.constantFrom('x', 'é', '€', '💥', '\n', '\u0001', '"', '\u0000'), fc.nat(80_000))
    .map(([unit, count]) => unit.repeat(count)),
);
