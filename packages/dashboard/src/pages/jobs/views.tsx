import { copyText } from '../../parts/copy-button.tsx';
import { type View, viewHref, viewOf } from './view.ts';

/** Views that people come for. */
const READY: readonly (readonly [title: string, view: Partial<View>])[] = [
  ['All', {}],
  ['Running', { phase: 'executing' }],
  ['Waiting', { phase: 'waiting' }],
  ['Failed, last 24 hours', { phase: 'failed', within: '24h' }],
  ['Dead', { phase: 'dead' }],
];

/** Ready-made views, and the way to keep the present one. */
export function Views() {
  const present = viewHref(viewOf());
  return (
    <nav class="views" aria-label="Views">
      {READY.map(([title, view]) => (
        <a
          key={title}
          href={viewHref(view)}
          aria-current={viewHref(view) === present ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
      <button
        class="plain"
        onClick={() => void copyText(new URL(present, location.href).href, 'The link to this view')}
      >
        Copy a link to this view
      </button>
    </nav>
  );
}
