import type { Place } from '../core/lifecycle.ts';

/** A place in one version of a lifecycle. */
export interface LifecyclePlace extends Place {
  readonly lifecycle: string;
  readonly lifecycleVersion: number;
}
