import { hrefOf } from '../route.ts';

/** A job by the end of its id, which is where ids of one moment differ. */
export function JobLink({ id }: { readonly id: string }) {
  return (
    <a class="mono" href={hrefOf(['jobs', id])} title={id}>
      …{id.slice(-8)}
    </a>
  );
}
