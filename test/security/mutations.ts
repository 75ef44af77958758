import type { Mutation } from './mutation.ts';
import { MUTATIONS_OF_BOUNDS } from './mutations-of-bounds.ts';
import { MUTATIONS_OF_TRUST } from './mutations-of-trust.ts';

/** `npm run proof:mutants -- --security` plants each of them in a copy of the tree. */
export const MUTATIONS: readonly Mutation[] = [...MUTATIONS_OF_TRUST, ...MUTATIONS_OF_BOUNDS];
