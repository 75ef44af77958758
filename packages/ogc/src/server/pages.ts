// The resources of the standard as pages: small, without scripts, and nothing in them unescaped.
import type { Link } from '../model/link.ts';
import type { ProcessDescription, ProcessMember } from '../model/process-description.ts';
import type { StatusInfo } from '../model/status-info.ts';
import type { JobList } from './job-list.ts';
import type { ProcessList } from './processes.ts';

/** Markup that is safe to put on a page. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Whatever is put into it is escaped, unless it is markup itself. */
function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Html {
  const told = values.map((value) =>
    [value]
      .flat()
      .map((one) => (one instanceof Html ? one.text : escape(String(one))))
      .join(''),
  );
  return new Html(parts.map((part, index) => part + (told[index] ?? '')).join(''));
}

function page(title: string, content: Html): string {
  const nav = html`<p>
    <a href="/processes?f=html">Processes</a> · <a href="/jobs?f=html">Jobs</a> ·
    <a href="/conformance?f=html">Conformance</a> · <a href="/ogc/api?f=html">API</a>
  </p>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <main>
          ${nav}
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}

function table(heads: readonly string[], rows: readonly (readonly unknown[])[]): Html {
  const head = html`<tr>
    ${heads.map((one) => html`<th>${one}</th>`)}
  </tr>`;
  const body = rows.map(
    (row) =>
      html`<tr>
        ${row.map((cell) => html`<td>${cell}</td>`)}
      </tr>`,
  );
  return html`<table>
    ${head}${body}
  </table>`;
}

/** Only addresses that a browser would open as a page become links. */
function anchor(href: string, text: string): Html {
  return /^(?:https?:\/\/|\/)/i.test(href) ? html`<a href="${href}">${text}</a>` : html`${text}`;
}

function asPage(href: string): string {
  return href.includes('f=html') ? href : `${href}${href.includes('?') ? '&' : '?'}f=html`;
}

function pager(links: readonly Link[]): Html[] {
  const turns = links.filter(({ rel }) => rel === 'next' || rel === 'prev');
  return turns.map(({ href, title = '' }) => html`<p>${anchor(asPage(href), title)}</p>`);
}

function code(value: unknown): Html {
  return html`<pre>${JSON.stringify(value, null, 2)}</pre>`;
}

export function processesPage({ processes, links }: ProcessList): string {
  const rows = processes.map(({ id, title = id, description = '', version }) => [
    anchor(`/processes/${encodeURIComponent(id)}?f=html`, id),
    title,
    version,
    description,
  ]);
  const list = table(['Id', 'Title', 'Version', 'Description'], rows);
  return page('Processes', html`${list}${pager(links)}`);
}

function membersTable(members: Readonly<Record<string, ProcessMember>>): Html {
  const rows = Object.entries(members).map(([id, { title = id, description = '', ...rest }]) => {
    const need = 'minOccurs' in rest ? (rest['minOccurs'] === 0 ? 'optional' : 'required') : '';
    return [html`<code>${id}</code> ${need}`, title, description, code(rest.schema)];
  });
  return table(['Id', 'Title', 'Description', 'Schema'], rows);
}

export function processPage(process: ProcessDescription): string {
  const { id, title = id, description = '', version, inputs, outputs } = process;
  const modes = (process.jobControlOptions ?? []).join(', ');
  const content = html`<p>${description}</p>
    <p><code>${id}</code> version ${version}, ${modes}</p>
    <h2>Inputs</h2>
    ${membersTable(inputs)}
    <h2>Outputs</h2>
    ${membersTable(outputs)}`;
  return page(title, content);
}

export function jobsPage({ jobs, links }: JobList): string {
  const rows = jobs.map(({ jobID, processID = '', status, created = '', message = '' }) => [
    anchor(`/jobs/${encodeURIComponent(jobID)}?f=html`, jobID),
    processID,
    status,
    created,
    message,
  ]);
  const list = table(['Job', 'Process', 'Status', 'Created', 'Message'], rows);
  return page('Jobs', html`${list}${pager(links)}`);
}

export function jobPage({ links = [], ...info }: StatusInfo): string {
  const facts = table(['', ''], Object.entries(info));
  const more = links.map(({ href, title = href }) => html`<li>${anchor(asPage(href), title)}</li>`);
  return page(
    `Job ${info.jobID}`,
    html`${facts}
      <ul>
        ${more}
      </ul>`,
  );
}

export function resultsPage(jobId: string, document: object): string {
  const rows = Object.entries(document).map(([id, value]) => {
    const { href } = (value ?? {}) as { href?: unknown };
    return [html`<code>${id}</code>`, typeof href === 'string' ? anchor(href, href) : code(value)];
  });
  return page(`Results of job ${jobId}`, table(['Output', 'Value'], rows));
}

export function conformancePage({ conformsTo }: { conformsTo: readonly string[] }): string {
  return page(
    'Conformance',
    html`<ul>
      ${conformsTo.map((one) => html`<li>${one}</li>`)}
    </ul>`,
  );
}

interface ApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { summary: string }>>>>;
}

export function apiPage(document: object): string {
  const { info, paths } = document as ApiDocument;
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => [
      html`<b class="${method}">${method.toUpperCase()}</b>`,
      html`<code>${path}</code>`,
      summary,
    ]),
  );
  const list = table(['', 'Path', 'What it does'], rows);
  const raw = html`<details>
    <summary>The document itself</summary>
    ${code(document)}
  </details>`;
  return page(
    info.title,
    html`<p>${info.description}</p>
      ${list}${raw}`,
  );
}
