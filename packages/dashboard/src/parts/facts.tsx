import type { ComponentChildren } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

/** Names and values in two columns; what is null is left out. */
export function Facts({ facts }: { readonly facts: readonly (Fact | null)[] }) {
  return (
    <dl class="facts">
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value]) => [
          <dt key={`${name} t`}>{name}</dt>,
          <dd key={`${name} d`}>{value}</dd>,
        ])}
    </dl>
  );
}
