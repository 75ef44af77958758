/** A setting of the platform: the name is that of its environment variable. */
export interface Setting {
  readonly name: string;
  /** As text, the way it would be given; null: not set. */
  readonly fallback: string | null;
  readonly sentence: string;
  /** Never shown; may be given as a file, by the name with `_FILE` after it. */
  readonly isSecret?: boolean;
}
