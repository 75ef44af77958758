import { useEffect } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import { StateChip } from '../state-chip.tsx';
import type { Hit, HitGroup } from './own-hits.ts';

interface Given {
  readonly groups: readonly HitGroup[];
  readonly current: number;
  readonly onChoose: (hit: Hit) => void;
}

interface OptionGiven extends Pick<Given, 'onChoose'> {
  readonly hit: Hit;
  readonly index: number;
  readonly isCurrent: boolean;
}

function Option({ hit, index, isCurrent, onChoose }: OptionGiven) {
  return (
    <div
      id={`hit-${index}`}
      role="option"
      aria-selected={isCurrent}
      onClick={() => onChoose(hit)}
      title={hit.title}
    >
      <Icon name={hit.icon} />
      <span class="spread">
        {hit.title} {hit.note !== undefined && <span class="quiet">{hit.note}</span>}
      </span>
      {hit.state !== undefined && <StateChip job={hit.state as never} />}
    </div>
  );
}

/** What can be chosen, group by group. */
export function Hits({ groups, current, onChoose }: Given) {
  useEffect(() => {
    document.getElementById(`hit-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  let index = 0;
  return (
    <div class="hits" role="listbox" id="palette-hits" aria-label="Found">
      {groups.map(({ title, hits }) => (
        <div key={title} role="group" aria-label={title}>
          <h2 aria-hidden="true">{title}</h2>
          {hits.map((hit) => {
            const own = index++;
            return (
              <Option
                key={hit.key}
                hit={hit}
                index={own}
                isCurrent={own === current}
                onChoose={onChoose}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}
