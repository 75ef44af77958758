/** A page of the documentation, which the server has beside the dashboard. */
export function guideHref(name: string): string {
  return `./guides/${name}.html`;
}

/** Leads from where something is missing to the guide that says how to have it. */
export function GuideLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <div>
      <a href={guideHref(to)}>{children}</a>
    </div>
  );
}
