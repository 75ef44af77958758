// The rule, in a linter: oxlint runs the rules of ESLint as they are.
import { describe, it } from 'node:test';
import { RuleTester } from 'oxlint/plugins-dev';
import { rethrowSuspended } from './rethrow-suspended.ts';

RuleTester.describe = (title, body) => void describe(title, body);
RuleTester.it = (title, body) => void it(title, body);

const handler = (body: string): string =>
  `defineJob('a', { run: async ({ call, callAll, sleep, receive, first }) => { ${body} } });`;
const swallowed = { messageId: 'swallowed' };

new RuleTester().run('rethrow-suspended', rethrowSuspended as never, {
  valid: [
    handler(`await call('a', b);`),
    handler(`try { await call('a', b); } finally { done(); }`),
    handler(`try { await call('a', b); } catch (error) { throw error; }`),
    handler(`try { await call('a', b); } catch (e) { if (isSuspended(e)) throw e; undo(); }`),
    handler(`try { await sleep('a', 1); } catch (e) { if (isSuspended(e)) { throw e; } undo(); }`),
    handler(`try { await first('a', {}); } catch (e) { if (!isSuspended(e)) undo(); throw e; }`),
    handler(`try { work(); } catch { undo(); } await call('a', b);`),
    handler(`try { work(); } catch { await call('a', b); }`),
    handler(`await call('a', b).catch((e) => { if (isSuspended(e)) throw e; undo(); });`),
    handler(`await call('a', b).catch(undo);`),
    `async function f() { try { await call('a', b); } catch { undo(); } }`,
    `import { sleep } from 'x'; async function f() { try { await sleep(1); } catch {} }`,
    `function f(work) { try { work.call(this, 1); } catch {} }`,
    `function f(list, sleep) { try { sleep(1); } catch {} }`,
    `try { await run(async ({ call }) => call('a', b)); } catch { undo(); }`,
  ],
  invalid: [
    ...['call', 'callAll', 'sleep', 'receive', 'first'].map((wait) => ({
      code: handler(`try { await ${wait}('a', b); } catch (error) { undo(error); }`),
      errors: [swallowed],
    })),
    {
      code: handler(`try { await call('a', b); } catch { undo(); }`),
      errors: [{ ...swallowed, line: 1 }],
    },
    {
      code: handler(`try { await call('a', b); } catch (e) { throw new Error('no'); }`),
      errors: [swallowed],
    },
    {
      code: handler(`try { await call('a', b); } catch (e) { if (e.code) throw e; undo(); }`),
      errors: [swallowed],
    },
    {
      code: handler(`try { await call('a', b); } catch (e) { if (isSuspended(x)) throw e; }`),
      errors: [swallowed],
    },
    {
      code: handler(`try { await call('a', b); await sleep('s', 1); } catch (e) { undo(); }`),
      errors: [swallowed],
    },
    {
      code: handler(
        `try { try { await call('a', b); } catch { one(); } } catch (e) { return two(); }`,
      ),
      errors: [swallowed, swallowed],
    },
    {
      code: handler(`try { await Promise.all(list.map((x) => call(x, b))); } catch { undo(); }`),
      errors: [swallowed],
    },
    { code: handler(`await call('a', b).catch(() => null);`), errors: [swallowed] },
    { code: handler(`await call('a', b).catch((e) => { undo(e); });`), errors: [swallowed] },
    {
      code: `const run = async (context) => { try { await context.call('a', b); } catch {} };`,
      errors: [swallowed],
    },
    {
      code: `async function f(c) { const { call } = c; try { await call('a', b); } catch {} }`,
      errors: [swallowed],
    },
    {
      code: `const run = async ({ sleep } = {}) => { try { await sleep('a', 1); } catch {} };`,
      errors: [swallowed],
    },
  ],
});
