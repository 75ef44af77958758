// Values by a JSON schema, and values that are anything but.
import type { SeededRandom } from 'pawl/internal/core/random';

export type Schema = Readonly<Record<string, unknown>>;

/** Texts that have broken somebody's server before. */
export const NASTY_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\u2028\r\nX-Injected: 1',
  '\ud800',
  '\u202e😀'.repeat(50),
  "'; DROP TABLE jobs; --",
  '../../etc/passwd',
  '%00%2e%2e%2f',
  '{{constructor.constructor}}',
  '__proto__',
  'constructor',
  '-1',
  '1e400',
  '9'.repeat(400),
  'a'.repeat(5_000),
  '<script>alert(1)</script>',
  '\u001b[31m',
  '*',
  'null',
];

const NASTY_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  -0,
  1e308,
  2 ** 53,
  -(2 ** 63),
  [],
  {},
  [[[[]]]],
  { constructor: { prototype: { isBad: true } } },
  { toString: null, length: -1 },
  ...NASTY_TEXTS,
];

export class Instances {
  readonly #random: SeededRandom;
  readonly #resolve: (ref: string) => Schema;
  /** Ids of things that are there, so that requests get past the door. */
  readonly known: string[] = [];

  constructor(random: SeededRandom, resolve: (ref: string) => Schema) {
    this.#random = random;
    this.#resolve = resolve;
  }

  nasty(): unknown {
    return this.#random.pick(NASTY_VALUES);
  }

  /** Mostly a value that fits; now and then, at any depth, one that does not. */
  of(schema: Schema, depth = 0): unknown {
    const random = this.#random;
    if (depth > 8 || random.next() < 0.06) return this.nasty();
    if (typeof schema['$ref'] === 'string') return this.of(this.#resolve(schema['$ref']), depth);
    if ('const' in schema) return schema['const'];
    for (const name of ['enum', 'examples']) {
      const values = schema[name];
      if (Array.isArray(values) && values.length > 0) return random.pick(values as unknown[]);
    }
    for (const name of ['anyOf', 'oneOf', 'allOf']) {
      const choices = schema[name];
      if (Array.isArray(choices)) return this.of(random.pick(choices as Schema[]), depth + 1);
    }
    return this.#ofType(schema, depth);
  }

  #ofType(schema: Schema, depth: number): unknown {
    const random = this.#random;
    const type = Array.isArray(schema['type'])
      ? random.pick(schema['type'] as string[])
      : schema['type'];
    switch (type) {
      case 'string':
        return this.#text(schema);
      case 'integer':
      case 'number':
        return this.#number(schema);
      case 'boolean':
        return random.next() < 0.5;
      case 'null':
        return null;
      case 'array': {
        const items = (schema['items'] ?? {}) as Schema;
        return Array.from({ length: random.below(4) }, () => this.of(items, depth + 1));
      }
      case 'object':
        return this.#object(schema, depth);
      default:
        return 'properties' in schema ? this.#object(schema, depth) : { n: random.below(3) };
    }
  }

  #text(schema: Schema): string {
    const random = this.#random;
    if (schema['format'] === 'uuid') return this.id();
    if (schema['format'] === 'date-time') {
      return random.pick(['2026-01-01T00:00:00Z', '2026-13-45', '-000001-01-01T00:00:00Z']);
    }
    const dice = random.next();
    if (dice < 0.5) return random.pick(['w1', 'convert', 'default', 'x', 'report', 'task']);
    return dice < 0.8 ? this.id() : random.pick(NASTY_TEXTS);
  }

  #number(schema: Schema): number {
    const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
    const random = this.#random;
    const edges = [minimum, maximum].filter((edge) => edge !== undefined);
    const beyond = edges.flatMap((edge) => [edge, edge - 1, edge + 1]);
    return random.pick([0, 1, 2, 3, 10, ...beyond]);
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const random = this.#random;
    const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
    const required = (schema['required'] ?? []) as string[];
    const made: [string, unknown][] = [];
    for (const [name, member] of Object.entries(properties)) {
      const chance = required.includes(name) ? 0.97 : 0.3;
      if (random.next() < chance) made.push([name, this.of(member, depth + 1)]);
    }
    if (random.next() < 0.05) made.push([random.pick(NASTY_TEXTS), this.nasty()]);
    // Not by assignment, which would take some names for something else.
    return Object.fromEntries(made);
  }

  id(): string {
    const random = this.#random;
    if (this.known.length > 0 && random.next() < 0.7) return random.pick(this.known);
    return `01890000-0000-7000-8000-${String(random.below(1e6)).padStart(12, '0')}`;
  }
}
