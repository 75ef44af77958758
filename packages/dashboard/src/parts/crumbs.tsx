import { hrefOf } from '../route.ts';

interface Given {
  readonly to: readonly string[];
  readonly title: string;
}

/** Leads back to the list that a page of one thing belongs to. */
export function Crumbs({ to, title }: Given) {
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href={hrefOf(to)}>← {title}</a>
    </nav>
  );
}
