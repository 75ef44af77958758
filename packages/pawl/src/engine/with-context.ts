import type { EngineContext } from './context.ts';

type UseCase = (context: EngineContext, ...args: never[]) => unknown;

/** The functions without their first argument, which is the context. */
type Methods<Cases> = {
  [Name in keyof Cases]: Cases[Name] extends (
    context: EngineContext,
    ...args: infer Args
  ) => infer Answer
    ? (...args: Args) => Answer
    : never;
};

type Run = (context: EngineContext, ...args: readonly unknown[]) => unknown;

/** A class that has functions of a context as its methods, and shows the context to nobody. */
export function withContext<Cases extends Readonly<Record<string, UseCase>>>(
  cases: Cases,
): new (context: EngineContext) => Methods<Cases> {
  class WithContext {
    readonly #context: EngineContext;

    constructor(context: EngineContext) {
      this.#context = context;
    }

    static {
      for (const [name, run] of Object.entries(cases as unknown as Record<string, Run>)) {
        const value = function method(this: WithContext, ...args: unknown[]): unknown {
          return run(this.#context, ...args);
        };
        Object.defineProperty(this.prototype, name, { value, writable: true, configurable: true });
      }
    }
  }
  return WithContext as unknown as new (context: EngineContext) => Methods<Cases>;
}
