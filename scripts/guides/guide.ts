// A page of the documentation as data: it is shown by building elements, so that nothing in it can
// become code.

export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly parts: readonly Inline[] }
  | { readonly kind: 'link'; readonly to: Target; readonly parts: readonly Inline[] };

/** Another page of the documentation, an address elsewhere, or a file of the sources only. */
export type Target =
  | { readonly kind: 'guide'; readonly name: string; readonly at?: string }
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string };

export type Block =
  | {
      readonly kind: 'heading';
      readonly depth: number;
      readonly anchor: string;
      readonly parts: readonly Inline[];
    }
  | { readonly kind: 'text'; readonly parts: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list';
      readonly isOrdered: boolean;
      readonly items: readonly (readonly Block[])[];
    }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    };

export interface Guide {
  readonly title: string;
  readonly blocks: readonly Block[];
}
