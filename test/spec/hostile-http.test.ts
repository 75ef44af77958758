// Hostile texts and numbers in every field of every route that takes a body: kept to the letter,
// replaced visibly where people read them, or refused with their place; alike on every store.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Fault } from 'pawl/internal/core/errors';
import { storable } from 'pawl/internal/core/text';
import { CALLER_ROUTES } from '../support/hostile/caller-routes.ts';
import { askedBy, type Field, fieldsOf, planted } from '../support/hostile/fields.ts';
import { FLOW_ROUTES } from '../support/hostile/flow-routes.ts';
import { EXTREME } from '../support/hostile/numbers.ts';
import { OPERATOR_ROUTES } from '../support/hostile/operator-routes.ts';
import { LONG, ODD, UNSTORABLE } from '../support/hostile/texts.ts';
import { WORKER_ROUTES } from '../support/hostile/worker-routes.ts';
import type { Target, WriteRoute } from '../support/hostile/write-route.ts';
import { inMemory } from '../support/world.ts';
import { postgresStores, sqliteInline } from '../support/world-stores.ts';
import type { Answer, Api } from './http-fixture.ts';
import { openWebhookFixture } from './webhook-fixture.ts';

const ROUTES = [...CALLER_ROUTES, ...WORKER_ROUTES, ...FLOW_ROUTES, ...OPERATOR_ROUTES];

const stores = [
  { label: 'memory', open: inMemory },
  sqliteInline,
  (await postgresStores()).at(-1)!,
];

/** One of each sort: the whole set runs through the verbs, which all routes lead to. */
const TEXTS = [
  UNSTORABLE['a NUL']!,
  UNSTORABLE['a lone high surrogate']!,
  ['all control characters but NUL', 'right to left', 'of no width', 'beyond the first plane']
    .map((name) => ODD[name]!)
    .join(''),
  LONG['a long one']!,
].map((text) => JSON.stringify(text));
const VERY_LONG = JSON.stringify(LONG['a very long one']);
const UNSAFE_NAME = JSON.stringify(ODD['a word of JavaScript']);

const NUMBERS = ['9007199254740993', '12345678901234567890', '1e400'];

function hostileIn(field: Field, { messages }: WriteRoute): readonly string[] {
  if (field.sort === 'name') return [...TEXTS, UNSAFE_NAME];
  if (field.sort === 'number') return [...EXTREME, ...NUMBERS];
  return [...TEXTS, ...NUMBERS, ...(isIn(field, messages) ? [VERY_LONG] : [])];
}

/** What became of a request, for a comparison of stores. */
interface Outcome {
  readonly status: number;
  readonly code: unknown;
  readonly faults: unknown;
  readonly kept: unknown;
}

/** Every text, number and name of a member in a value. */
function* contentsOf(value: unknown): Generator {
  yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    yield name;
    yield* contentsOf(member);
  }
}

function isIn(field: Field, beginnings: readonly string[] = []): boolean {
  return beginnings.some((one) => field.pointer === one || field.pointer.startsWith(`${one}/`));
}

/** Whether this is what a message becomes: replaced visibly, whole or cut with a mark. */
function isMended(text: string, seen: unknown): boolean {
  if (typeof seen !== 'string') return false;
  const mended = storable(text);
  const [, head] = /^(.*)… [\d,]+ bytes more$/s.exec(seen) ?? [];
  // Names of classes and codes are one line.
  return [mended, mended.replaceAll(/\p{Cc}/gu, '\uFFFD')].some(
    (whole) => seen === whole || (head !== undefined && whole.startsWith(head)),
  );
}

/** What is shown of a value that was accepted; undefined where it is not to be found. */
function keptIn(shown: unknown, value: unknown, isMessage: boolean): unknown {
  const isKept = (seen: unknown): boolean =>
    isMessage && typeof value === 'string' ? isMended(value, seen) : seen === value;
  return contentsOf(shown).find(isKept);
}

/** Stands for a value that was accepted and is not to be found. */
const LOST = Symbol('lost');

/** A route of one platform. */
class Door {
  readonly #api: Api;
  readonly #route: WriteRoute;
  #target: Target | null = null;

  constructor(api: Api, route: WriteRoute) {
    this.#api = api;
    this.#route = route;
  }

  async #call(write: (target: Target) => string): Promise<{ answer: Answer; target: Target }> {
    const { open, method } = this.#route;
    // What a refusal has left as it was serves the next request too.
    const target = (this.#target ??= await open(this.#api));
    const answer = await this.#api.call(method, target.url, { body: write(target) });
    if (answer.status < 300) this.#target = null;
    return { answer, target };
  }

  /** Shows that a body is refused for nothing but what is planted in it. */
  async accepts(body: object): Promise<void> {
    const { answer } = await this.#call(({ own }) => JSON.stringify({ ...body, ...own }));
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
  }

  async send(body: object, field: Field, json: string): Promise<Outcome> {
    const { shown, unseen, messages } = this.#route;
    const write = ({ own }: Target): string => planted({ ...body, ...own }, field, json);
    const { answer, target } = await this.#call(write);
    const { status } = answer;
    const { code, faults } = refusalIn(answer);
    const isSeen = code === null && shown !== undefined && !isIn(field, unseen);
    if (!isSeen) return { status, code, faults, kept: null };
    const value: unknown = JSON.parse(json);
    const all = await shown(this.#api, target, answer);
    const kept = keptIn(all, value, isIn(field, messages));
    return { status, code, faults, kept: kept === undefined ? LOST : kept };
  }
}

/** The refusal of a request, or of the one item of a batch, by the pointers of the request. */
function refusalIn({ status, body }: Answer): { code: unknown; faults: unknown } {
  const ofItem = status === 200 ? body.results?.[0]?.error : undefined;
  if (status < 400 && ofItem === undefined) return { code: null, faults: null };
  const { code, errors } = ofItem ?? body;
  const before = ofItem === undefined ? '' : '/jobs/0';
  const faults = errors?.map((fault: Fault) => ({ ...fault, pointer: before + fault.pointer }));
  return { code, faults: faults ?? null };
}

/** The place itself, what holds it, or, for names and pairs of numbers, what stands beside it. */
function isPlaceOf(pointer: string, field: Field): boolean {
  const parent = field.pointer.slice(0, field.pointer.lastIndexOf('/'));
  const isBeside = parent !== '' && pointer.startsWith(`${parent}/`);
  return pointer !== '' && (isBeside || `${field.pointer}/`.startsWith(`${pointer}/`));
}

/** Refusals name the place; what is not refused is kept. */
function assertRight(outcome: Outcome, field: Field, what: string): void {
  const { status, code, faults, kept } = outcome;
  assert.ok(status < 500, `${what}: ${status} ${String(code)}`);
  if (code === 'VALIDATION_ERROR') {
    const [fault] = faults as readonly Fault[];
    assert.ok(isPlaceOf(fault!.pointer, field), `${what}: said to be at "${fault!.pointer}"`);
  }
  assert.notEqual(kept, LOST, `${what}: accepted, and not kept`);
}

const fixtures = await Promise.all(stores.map(({ open }) => openWebhookFixture({ store: open })));
const apis = fixtures.map(({ api }) => api);
for (const { world } of fixtures)
  await world.putType('paper', { lifecycle: 'document' }, 'default');

/** Fields that no earlier body of the route has had. */
function newFields(body: object, met: Set<string>): Field[] {
  const fresh = fieldsOf(body).filter(({ pointer }) => !met.has(pointer));
  for (const { pointer } of fresh) met.add(pointer);
  return fresh;
}

async function aboutRoute(route: WriteRoute): Promise<void> {
  const doors = apis.map((api) => new Door(api, route));
  const met = new Set<string>();
  for (const [index, sample] of route.bodies().entries()) {
    for (const door of doors) await door.accepts(route.bodies()[index]!);
    for (const field of newFields(sample, met)) {
      for (const json of hostileIn(field, route)) {
        const body = route.bodies()[index]!;
        const outcomes = await Promise.all(doors.map((door) => door.send(body, field, json)));
        const what = `${json.slice(0, 40)} as the ${field.sort} at ${field.pointer}`;
        for (const outcome of outcomes) assertRight(outcome, field, what);
        for (const other of outcomes.slice(1)) assert.deepEqual(other, outcomes[0], what);
      }
    }
  }
}

/** With one database they refuse every cell: see below. */
const NEED_CELLS = ['placeTenant /cell', 'moveTenant /cell'];

test('every route that takes a body is among those below, with all that it takes', () => {
  const { paths, components } = apis[0]!.contract.document;
  const asked = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, requestBody }) => {
      const { content } = (requestBody ?? {}) as { content?: Record<string, { schema: object }> };
      const schema = content?.['application/json']?.schema;
      const fields = schema === undefined ? [] : askedBy(schema, components.schemas);
      return fields.map((pointer) => `${String(operationId)} ${pointer}`);
    }),
  );
  const planted = ROUTES.flatMap(({ operation, bodies }) =>
    bodies().flatMap((body) => fieldsOf(body).map(({ pointer }) => `${operation} ${pointer}`)),
  );
  const missing = new Set(asked).difference(new Set([...planted, ...NEED_CELLS]));
  assert.deepEqual([...missing], []);
});

test('a cell that cannot be one is refused with its place or as unknown, alike everywhere', async () => {
  for (const text of [...TEXTS, UNSAFE_NAME, ...NUMBERS]) {
    const body = `{"cell":${text}}`;
    const answers = await Promise.all(
      apis.map((api) => api.call('PUT', '/v1/tenants/acme/cell', { body })),
    );
    const refusals = answers.map((answer) => ({ status: answer.status, ...refusalIn(answer) }));
    assert.ok(['VALIDATION_ERROR', 'NOT_FOUND'].includes(String(refusals[0]!.code)), body);
    for (const refusal of refusals) assert.deepEqual(refusal, refusals[0], body);
  }
});

describe('hostile texts and numbers', () => {
  for (const route of ROUTES) {
    test(`in the fields of ${route.operation} are kept, mended or refused, on every store`, () =>
      aboutRoute(route));
  }
});
