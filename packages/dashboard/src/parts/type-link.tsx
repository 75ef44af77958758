import { hrefOf } from '../route.ts';

/** To the page of a type. */
export function TypeLink({ type }: { readonly type: string }) {
  return (
    <a class="breaks" href={hrefOf(['types', type])}>
      {type}
    </a>
  );
}
