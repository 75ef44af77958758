import { escapeHtml as escape } from './html.ts';

/** The document as far as the page shows it. */
interface Doc {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly tags?: readonly string[];
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Record<string, { schema: unknown; example?: unknown }>;
  };
  readonly responses: Readonly<
    Record<string, { description: string; content?: Record<string, { schema: unknown }> }>
  >;
  readonly 'x-required-scope'?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: unknown;
}

/** The little Markdown that the texts use: code, bold, paragraphs and tables. */
function prose(text: string): string {
  const inline = (line: string): string =>
    escape(line)
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
  return text
    .split(/\n{2,}/)
    .map((block) => {
      const lines = block.trim().split('\n');
      if (!lines[0]!.startsWith('|')) return `<p>${inline(lines.join(' '))}</p>`;
      const rows = lines.filter((line) => !line.startsWith('|---'));
      const cells = rows.map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => inline(cell.trim())),
      );
      const row = (tag: string, of: readonly string[]): string =>
        `<tr>${of.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
      const [head = [], ...body] = cells;
      return `<table>${row('th', head)}${body.map((one) => row('td', one)).join('')}</table>`;
    })
    .join('\n');
}

function schemaText(schema: unknown): string {
  const text = escape(JSON.stringify(schema, null, 2));
  return text.replaceAll(
    /&quot;#\/components\/schemas\/(\w+)&quot;/g,
    '<a href="#schema-$1">$1</a>',
  );
}

function parametersTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: where, required, description = '', schema }) => {
    const mark = required ? ' <em>required</em>' : '';
    return `<tr><td><code>${escape(name)}</code>${mark}</td><td>${where}</td><td>${prose(
      description,
    )}<pre>${schemaText(schema)}</pre></td></tr>`;
  });
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`;
}

function bodyPart(operation: Operation): string {
  const body = operation.requestBody?.content['application/json'];
  if (body === undefined) return '';
  const example =
    body.example === undefined
      ? ''
      : `<p>Example</p><pre>${escape(JSON.stringify(body.example, null, 2))}</pre>`;
  return `<h4>Body</h4>${example}<details><summary>Schema</summary><pre>${schemaText(
    body.schema,
  )}</pre></details>`;
}

function answersPart(operation: Operation): string {
  const rows = Object.entries(operation.responses).map(
    ([status, { description, content = {} }]) => {
      const kinds = Object.entries(content).map(
        ([kind, { schema }]) =>
          `<p><code>${escape(kind)}</code></p><pre>${schemaText(schema)}</pre>`,
      );
      const told = prose(description) + kinds.join('');
      return `<tr><td><code>${status}</code></td><td>${told}</td></tr>`;
    },
  );
  return `<h4>Answers</h4><table>${rows.join('')}</table>`;
}

function operationPart(path: string, method: string, operation: Operation): string {
  const scope = operation['x-required-scope'];
  const need = scope === undefined ? '' : `<p>Needs the scope <code>${escape(scope)}</code>.</p>`;
  const id = escape(operation.operationId ?? `${method}-${path}`);
  const verb = `<b class="${method}">${method.toUpperCase()}</b>`;
  return `<details class="operation" id="${id}"><summary>${verb}
<code>${escape(path)}</code> ${escape(operation.summary ?? '')}</summary>
${prose(operation.description ?? '')}${need}${parametersTable(operation.parameters)}${bodyPart(
    operation,
  )}${answersPart(operation)}</details>`;
}

/** The document as one page that needs nothing else: no script, no other host. */
export function docsPage(document: object): string {
  const { info, tags, paths, components } = document as Doc;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    const list = own.map(({ path, method, operation }) => operationPart(path, method, operation));
    return `<section><h2>${escape(name)}</h2>${prose(description)}${list.join('\n')}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${name}"><summary>${name}</summary>
<pre>${schemaText(schema)}</pre></details>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(info.title)} API</title><link rel="stylesheet" href="./docs/style.css"></head>
<body><main><h1>${escape(info.title)} API</h1>
<p><a href="./openapi.json">openapi.json</a></p>${prose(info.description)}
${sections.join('\n')}<section><h2>Schemas</h2>${schemas.join('\n')}</section></main></body></html>
`;
}

/** Nothing but the own style sheet may be loaded, and nothing may run. */
export const DOCS_POLICY: string = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const DOCS_STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8884; }
code, pre { font: 0.85em/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.6rem; border-radius: 6px; background: #8881; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0; }
tr { border-bottom: 1px solid #8882; }
details { border: 1px solid #8883; border-radius: 6px; margin: 0.4rem 0; padding: 0.4rem 0.8rem; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4rem; }
.get { color: #1a7f5a; } .post { color: #1f6feb; } .put, .patch { color: #9a6700; }
`;
