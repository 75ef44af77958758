// Whatever can be thrown: what a handler should throw, what it may throw, and what it should not.
import {
  fail,
  PermanentError,
  TransientError,
  ValidationError,
} from 'pawl/internal/handler/failure';

export class BadAddress extends Error {}

export class MailServerDown extends TransientError {}

const LARGE_BYTES = 50 * 1_024 * 1_024;

/** Members of an error that break whoever looks at them. */
function withBrokenGetters(): Error {
  const error = new Error('its members throw');
  for (const name of ['message', 'name', 'stack', 'cause', 'code', 'more']) {
    Object.defineProperty(error, name, {
      enumerable: true,
      get: () => {
        throw new Error(`nobody looks at ${name}`);
      },
    });
  }
  return error;
}

/** A proxy each of whose traps throws. */
function withBrokenTraps(): unknown {
  const trap = (): never => {
    throw new Error('trapped');
  };
  const names = ['get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor'] as const;
  return new Proxy(new Error('inside'), Object.fromEntries(names.map((name) => [name, trap])));
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function inACircle(): Error {
  const error = new Error('round');
  const other = new Error('and round', { cause: error });
  return Object.assign(error, { cause: other, self: error, list: [error, other] });
}

function withCauses(): Error {
  const socket = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const mirrors = [new TypeError('mirror one'), new RangeError('mirror two', { cause: socket })];
  return new AggregateError(mirrors, 'all mirrors failed', { cause: new Error('no network') });
}

function withOwnProperties(): Error {
  return Object.assign(new Error('the API said no'), {
    code: 'E_API',
    status: 503,
    at: new Date(0),
    body: Buffer.alloc(1_000_000),
    response: { headers: { Authorization: 'Bearer abcdefghijklmnop', date: 'today' } },
  });
}

function deep(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

/** By name, made anew for each who asks: some can be used once only. */
export const THROWN = {
  Error: () => new Error('plain'),
  TypeError: () => new TypeError('not a function'),
  TransientError: () => new TransientError('later'),
  PermanentError: () => new PermanentError('never'),
  ValidationError: () => new ValidationError('wrong'),
  network_timeout: () => fail('network_timeout', 'no answer'),
  timeout: () => fail('timeout', 'too late', { code: 'SLOW', details: { ms: 5 } }),
  'a subclass of Error': () => new BadAddress('no such street'),
  'a subclass of TransientError': () => new MailServerDown('no mail today'),
  'a rejected fetch': async () => {
    await fetch('http://127.0.0.1:4/');
  },
  'a string': () => 'just words',
  'the number 7': () => 7,
  null: () => null,
  undefined: () => undefined,
  'a symbol': () => Symbol('sign'),
  'a function': () => () => 'called',
  'a plain object': () => ({ reason: 'none', list: [1, 2] }),
  'an object without a prototype': () => Object.assign(Object.create(null), { a: 1 }) as unknown,
  'a hostile proxy': withBrokenTraps,
  'a revoked proxy': revoked,
  'throwing getters': withBrokenGetters,
  'a circle': inACircle,
  'an AggregateError with causes': withCauses,
  'own properties': withOwnProperties,
  'a 50 MB message': () => new Error('x'.repeat(LARGE_BYTES)),
  'a 50 MB property': () => Object.assign(new Error('large'), { dump: 'y'.repeat(LARGE_BYTES) }),
  'a deep property': () => Object.assign(new Error('deep'), { tree: deep(10_000) }),
  'many causes': () => new AggregateError(Array.from({ length: 20 }, (_, n) => new Error(`${n}`))),
  'unstorable texts': () =>
    Object.assign(new Error('NUL \u0000 and half \ud83d'), {
      code: 'E\u0000',
      [`key\u0000`]: 'value\ude00',
      cause: new Error('\u0000'),
    }),
  'a name that is a symbol': () => Object.assign(new Error('named'), { name: Symbol('name') }),
  'a message that is an object': () => Object.assign(new Error(''), { message: { a: 1 } }),
  'a stack that is a number': () => Object.assign(new Error('stacked'), { stack: 12 }),
} as const satisfies Record<string, () => unknown>;

export type Thrown = keyof typeof THROWN;

export const THROWN_NAMES = Object.keys(THROWN) as Thrown[];
