import { type SvgOptions, svgOf } from '../../../pawl/src/diagram/svg.ts';
import type { Lifecycle } from '../../../pawl/src/core/lifecycle.ts';
import type { LifecycleJson } from '../../../pawl/src/contract/lifecycle.ts';

interface Given {
  readonly lifecycle: LifecycleJson;
  readonly options?: SvgOptions;
}

/** A lifecycle drawn from its table; all text in the picture is escaped by who draws it. */
export function LifecyclePicture({ lifecycle, options = {} }: Given) {
  const svg = svgOf(lifecycle as unknown as Lifecycle, options);
  return (
    <div
      class="lifecycle-picture"
      role="group"
      aria-label={`Picture of the lifecycle ${lifecycle.name}`}
      // Wider than a narrow screen: arrow keys move it once it has the focus.
      tabIndex={0}
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  );
}
