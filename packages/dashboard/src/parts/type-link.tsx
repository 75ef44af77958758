import { seesAll } from '../me.ts';
import { hrefOf } from '../route.ts';

/** To the page of a type, which shows everybody's jobs. */
export function TypeLink({ type }: { readonly type: string }) {
  if (!seesAll()) return <span class="breaks">{type}</span>;
  return (
    <a class="breaks" href={hrefOf(['types', type])}>
      {type}
    </a>
  );
}
