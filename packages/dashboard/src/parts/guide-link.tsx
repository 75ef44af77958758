import { hrefOf } from '../route.ts';

/** Leads from where something is missing to the guide that says how to have it. */
export function GuideLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <div>
      <a href={hrefOf(['guides', ...to.split('/')])}>{children}</a>
    </div>
  );
}
