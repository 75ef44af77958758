// The page behind a message link: for people, who have no account here.
import { type FieldFault, fieldsOf, type FormBody } from 'pawl/internal/contract/message-form';
import type { LinkedMessage } from 'pawl/internal/engine/flows/message-link';
import { createHash } from 'node:crypto';
import { escapeHtml } from './html.ts';
import { controlsOf } from './message-controls.ts';

const STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 0.5rem; }
dl { display: grid; grid-template-columns: max-content auto; gap: 0.2rem 1rem; }
dt { opacity: 0.7; } dd { margin: 0; overflow-wrap: anywhere; }
label { display: block; margin: 0.8rem 0; } label.check { display: flex; gap: 0.5rem; }
small { display: block; opacity: 0.7; }
input:not([type=checkbox]), select, textarea { width: 100%; box-sizing: border-box; font: inherit;
  padding: 0.4rem; }
textarea { min-height: 5rem; }
button { font: inherit; padding: 0.5rem 1.2rem; cursor: pointer; }
.fault { border-left: 3px solid #c33; padding-left: 0.8rem; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing may run, and nothing be loaded; the form goes back to where it came from. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  // The address is all that it takes to answer: no other site gets it.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
};

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${content}
</main></body></html>
`;
}

/** What is asked, and a form that answers it. */
export function askPage(
  link: LinkedMessage,
  { faults, entered }: { faults: readonly FieldFault[]; entered: FormBody },
): string {
  const { name, type, ref, value, schema, expiresAt } = link;
  const until = new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ');
  const facts = [
    ['Job', `${type}, ${ref.id}`],
    ['Message', name],
    ...(value === null ? [] : [['Says', value]]),
    ['Good until', `${until} UTC, or until the job ends`],
  ].map(([term, text]) => `<dt>${term}</dt><dd>${escapeHtml(text!)}</dd>`);
  const wrong = faults.map(({ title, message }) => `<li>${escapeHtml(`${title} ${message}`)}</li>`);
  const list = wrong.length === 0 ? '' : `<ul class="fault">${wrong.join('')}</ul>`;
  const controls = value === null ? controlsOf(fieldsOf(schema), entered) : '';
  const content = `<p>A job waits for this message. Nothing is sent before you press the button,
and it can be sent once.</p>
<dl>${facts.join('')}</dl>
${list}<form method="post">
${controls}
<p><button type="submit">Send “${escapeHtml(name)}”</button></p></form>`;
  return page(`Send “${name}”`, content);
}

export function sentPage(): string {
  return page(
    'Sent',
    '<p>The message was sent, and the job continues. You can close this page.</p>',
  );
}

/** Why a link leads nowhere. */
export function refusalPage({ message, hint }: { message: string; hint: string }): string {
  const said = `${message[0]!.toUpperCase()}${message.slice(1)}.`;
  const content = `<p class="fault">${escapeHtml(said)}</p><p>${escapeHtml(hint)}</p>`;
  return page('This link cannot be used', content);
}
