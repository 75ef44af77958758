import { useSignal } from '@preact/signals';
import { copyText } from '../../parts/copy-button.tsx';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { say } from '../../parts/notice.tsx';
import { forgetView, savedViews, saveView } from './saved-views.ts';
import { type View, viewHref, viewOf } from './view.ts';

/** Views that people come for. */
const READY: readonly (readonly [title: string, view: Partial<View>])[] = [
  ['All', {}],
  ['Running', { phase: 'executing' }],
  ['Waiting', { phase: 'waiting' }],
  ['Failed, last 24 hours', { phase: 'failed', within: '24h' }],
  ['Dead', { phase: 'dead' }],
];

interface LinkGiven {
  readonly title: string;
  readonly href: string;
  readonly present: string;
}

function ViewLink({ title, href, present }: LinkGiven) {
  return (
    <a href={href} aria-current={href === present ? 'page' : undefined}>
      {title}
    </a>
  );
}

function SaveDialog({ href, onClose }: { readonly href: string; readonly onClose: () => void }) {
  const save = async ({ name = '' }: Readonly<Record<string, string>>): Promise<void> => {
    saveView({ name, href });
    say(`${name} is saved in this browser`);
  };
  return (
    <FormDialog title="Save this view" action="Save" onSend={save} onClose={onClose}>
      <Field title="Name of the view" hint="saved in this browser; share it by its link">
        <input name="name" required maxLength={60} autofocus />
      </Field>
    </FormDialog>
  );
}

/** Ready-made views, those of this browser, and the way to keep the present one. */
export function Views() {
  const isSaving = useSignal(false);
  const present = viewHref(viewOf());
  const known = new Set([
    ...READY.map(([, view]) => viewHref(view)),
    ...savedViews.value.map(({ href }) => href),
  ]);
  return (
    <nav class="views no-print" aria-label="Views">
      {READY.map(([title, view]) => (
        <ViewLink key={title} title={title} href={viewHref(view)} present={present} />
      ))}
      {savedViews.value.map(({ name, href }) => (
        <span key={name} class="saved">
          <ViewLink title={name} href={href} present={present} />
          <button
            class="plain"
            aria-label={`Delete the view ${name}`}
            title="Delete this view"
            onClick={() => forgetView(name)}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <span class="own row">
        {!known.has(present) && (
          <button class="plain" onClick={() => (isSaving.value = true)}>
            Save this view…
          </button>
        )}
        <button
          class="plain"
          onClick={() => void copyText(new URL(present, location.href).href, 'Link to this view')}
        >
          Copy a link to this view
        </button>
      </span>
      {isSaving.value && <SaveDialog href={present} onClose={() => (isSaving.value = false)} />}
    </nav>
  );
}
