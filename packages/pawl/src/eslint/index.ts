// Rules for ESLint and oxlint: `import pawl from 'pawl/eslint'`. It imports neither of them.
import { rethrowSuspended } from './rethrow-suspended.ts';
import type { Rule } from './syntax.ts';

export interface Plugin {
  readonly meta: { readonly name: string };
  readonly rules: Readonly<Record<'rethrow-suspended', Rule>>;
  readonly configs: {
    /** For `eslint.config.js`: `export default [pawl.configs.recommended]`. */
    readonly recommended: {
      readonly plugins: Readonly<Record<'pawl', Plugin>>;
      readonly rules: Readonly<Record<'pawl/rethrow-suspended', 'error'>>;
    };
  };
}

const plugin: Plugin = {
  meta: { name: 'pawl' },
  rules: { 'rethrow-suspended': rethrowSuspended },
  configs: {
    get recommended() {
      return { plugins: { pawl: plugin }, rules: { 'pawl/rethrow-suspended': 'error' } } as const;
    },
  },
};

// oxlint-disable-next-line import/no-default-export -- linters take a plugin by its default export
export default plugin;
