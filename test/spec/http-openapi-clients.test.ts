// What generators of clients need of the document: `npm run clients:generated` makes and runs some.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from './http-fixture.ts';

const api = await openApi();
const { paths, components } = api.contract.document;
await api.close();

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly discriminator?: { propertyName: string; mapping: Record<string, string> };
}

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { name: string }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
  readonly responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const operations = Object.values(paths).flatMap((methods) =>
  Object.values(methods).map((operation) => operation as unknown as Described),
);

/** Every schema of the document, with the words that lead to it. */
function* schemasIn(value: unknown, place: string): Generator<{ place: string; schema: Schema }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { place, schema: value };
  for (const [name, part] of Object.entries(value)) {
    if (!['examples', 'example'].includes(name)) yield* schemasIn(part, `${place}/${name}`);
  }
}

const all = [...schemasIn({ paths, components }, '')];

test('no name of a schema is one that a generator makes of another', () => {
  const names = Object.keys(components.schemas);
  const plain = names.map((name) => name.toLowerCase());
  assert.equal(new Set(plain).size, names.length);
  const made = names.filter((name) => /^(?:New|Nullable|Api)[A-Z]|Response$/.test(name));
  assert.deepEqual(made, []);
});

test('the parameters of an operation differ by more than hyphens and case', () => {
  for (const { operationId, parameters } of operations) {
    const names = parameters.map(({ name }) => name.replaceAll('-', '').toLowerCase());
    assert.equal(new Set(names).size, names.length, operationId);
  }
});

test('every body of JSON has a name', () => {
  const bodies = operations.flatMap(({ operationId, requestBody, responses }) =>
    [requestBody, ...Object.values(responses)].flatMap((one) => {
      const schema = one?.content?.['application/json']?.schema;
      return schema === undefined ? [] : [{ operationId, schema }];
    }),
  );
  assert.ok(bodies.length > 100);
  const nameless = bodies.filter(({ schema }) => schema.properties !== undefined);
  assert.deepEqual(nameless, []);
});

test('a union of objects that a constant tells apart names it as its discriminator', () => {
  const unions = all.filter(({ schema }) => Array.isArray(schema.anyOf ?? schema.oneOf));
  const withConstants = unions.filter(({ schema }) =>
    (schema.anyOf ?? schema.oneOf)!.every(({ $ref = '', properties }) => {
      const named = components.schemas[$ref.split('/').at(-1)!] as Schema | undefined;
      const members = Object.values(properties ?? named?.properties ?? {});
      return members.some((member) => member.const !== undefined);
    }),
  );
  assert.ok(withConstants.length >= 8, String(withConstants.length));
  for (const { place, schema } of withConstants) {
    const { oneOf = [], discriminator } = schema;
    const refs = Object.values(discriminator?.mapping ?? {});
    assert.deepEqual(
      refs,
      oneOf.map(({ $ref }) => $ref),
      place,
    );
  }
});

test('integers say how large they can be, and enumerations that they are of texts', () => {
  const vague = all.filter(({ schema }) => {
    if (schema.type === 'integer') return !/^int(?:32|64)$/.test(schema.format ?? '');
    return Array.isArray(schema.enum) && schema.type === undefined;
  });
  assert.deepEqual(
    vague.map(({ place }) => place),
    [],
  );
});
