import type { ComponentChildren } from 'preact';

interface Given {
  readonly title: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}

/** A control of a form with its name, and what may be written in it. */
export function Field({ title, hint, children }: Given) {
  return (
    <label class="field">
      <span>{title}</span>
      {children}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}
