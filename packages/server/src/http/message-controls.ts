import { controlName, type FormBody, type FormField } from 'pawl/internal/contract/message-form';
import { escapeHtml } from './html.ts';

/** Controls of a form, with what was entered before. */
export function controlsOf(fields: readonly FormField[], entered: FormBody): string {
  return fields
    .map((field) => {
      const hint = field.hint === '' ? '' : `<small>${escapeHtml(field.hint)}</small>`;
      const title = escapeHtml(field.title);
      const control = controlOf(field, entered.get(controlName(field)));
      if (field.kind === 'boolean')
        return `<label class="check">${control} ${title}${hint}</label>`;
      return `<label>${title}${hint}${control}</label>`;
    })
    .join('\n');
}

const INPUT_TYPES: Readonly<Record<string, string>> = { email: 'email', date: 'date', uri: 'url' };
/** Longer texts get several lines. */
const LINE_LENGTH_MAX = 200;

function controlOf(field: FormField, entered: string | undefined): string {
  const { kind, isRequired, schema, choices } = field;
  const name = `name="${escapeHtml(controlName(field))}"${isRequired ? ' required' : ''}`;
  const value = entered === undefined ? '' : ` value="${escapeHtml(entered)}"`;
  switch (kind) {
    case 'boolean': {
      const on = entered === undefined ? '' : ' checked';
      return `<input type="checkbox" name="${escapeHtml(controlName(field))}" value="true"${on}>`;
    }
    case 'number': {
      const step = schema['type'] === 'integer' ? '1' : 'any';
      return `<input type="number" step="${step}" ${name}${value}>`;
    }
    case 'choice': {
      const options = choices.map((choice) => {
        const json = JSON.stringify(choice);
        const on = json === entered ? ' selected' : '';
        const shown = typeof choice === 'string' ? choice : json;
        return `<option value="${escapeHtml(json)}"${on}>${escapeHtml(shown)}</option>`;
      });
      const none = isRequired ? '' : '<option value=""></option>';
      return `<select ${name}>${none}${options.join('')}</select>`;
    }
    case 'text': {
      const { maxLength, format } = schema;
      const isLong = typeof maxLength === 'number' && maxLength > LINE_LENGTH_MAX;
      if (isLong) return `<textarea ${name}>${escapeHtml(entered ?? '')}</textarea>`;
      return `<input type="${INPUT_TYPES[String(format)] ?? 'text'}" ${name}${value}>`;
    }
    default:
      return `<textarea ${name}>${escapeHtml(entered ?? '')}</textarea>`;
  }
}
