/** The name of the drill's types and of their queue: nothing of the user's own is touched. */
export const DRILL = 'pawl-drill';

/** What a process of the drill is told to do. */
export interface Order {
  readonly name: string;
  /** Modules of the release that it is: `pawl` and `pawl/client`. */
  readonly library: string;
  readonly client: string;
  readonly database: string;
  /** Servers of both releases, or none. */
  readonly servers: readonly string[];
}

/** What it did. */
export interface Report {
  readonly submitted: string[];
  /** The longest time that an enqueue took. */
  slowestMs: number;
}
