declare module 'virtual:guides' {
  import type { Guide } from '../../../../../scripts/guides/guide.ts';

  /** Every guide by its name; the page of contents has none. */
  export const guides: Readonly<Record<string, () => Promise<{ readonly guide: Guide }>>>;
}
