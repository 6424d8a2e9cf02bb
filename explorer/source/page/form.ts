// The left side: what is asked. A field is bound to one word of the state.
import { h } from './dom.js';
import { later, reportIfAny } from './engine.js';
import { change, get } from './state.js';

declare const PROCESSORS: readonly { name: string; product: string; family: string }[];
export const processors = PROCESSORS;

export type Edited = () => void;

let count = 0;

function labelled(label: string, hint: string, input: HTMLElement): HTMLElement {
  input.id = `field-${++count}`;
  const note = hint === '' ? null : h('small', { id: `${input.id}-hint` }, hint);
  if (note !== null) input.setAttribute('aria-describedby', note.id);
  return h('div', { class: 'field' }, h('label', { for: input.id }, label), input, note);
}

/** Whether the reader is typing: then only the letters may change. What is pasted or dropped comes as a whole. */
const isTyping = (event: InputEvent): boolean =>
  !/^insert(From|Replacement)/.test(event.inputType) && !(event.inputType === 'insertText' && (event.data ?? '').length > 1);

interface TextOptions {
  hint?: string;
  placeholder?: string;
  lines?: number;
  /** Takes a text that came as a whole, or, where it may end with Enter, was ended so; false: it is one like others. */
  whole?: (isEntered: boolean) => boolean;
}

export function text(name: string, label: string, edited: Edited, options: TextOptions = {}): HTMLElement {
  const long = (options.lines ?? 1) > 1;
  const input = h(long ? 'textarea' : 'input', {
    name, value: get(name), placeholder: options.placeholder, rows: options.lines, spellcheck: 'false',
    autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', class: long ? 'mono' : 'mono',
    oninput: (event: InputEvent) => {
      change({ [name]: (input as HTMLInputElement).value });
      if (isTyping(event) || !options.whole?.(false)) edited();
    },
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === 'Enter' && !event.shiftKey && options.whole?.(true)) event.preventDefault();
    },
  });
  return labelled(label, options.hint ?? '', input);
}

export function select(name: string, label: string, values: readonly (readonly [string, string])[], edited: Edited, hint = ''): HTMLElement {
  const input = h('select', {
    name,
    onchange: () => {
      change({ [name]: (input as HTMLSelectElement).value });
      edited();
    },
  }, values.map(([value, shown]) => h('option', { value, selected: value === get(name) }, shown)));
  return labelled(label, hint, input);
}

export function processor(edited: Edited, name = 'arch', label = 'Processor', any = true): HTMLElement {
  const input = h('select', {
    name,
    onchange: () => {
      change({ [name]: (input as HTMLSelectElement).value });
      edited();
    },
  }, any ? h('option', { value: '' }, 'the first that has it') : null,
  ['AMD', 'NVIDIA'].map((maker) => h('optgroup', { label: maker },
    processors.filter((one) => one.name.startsWith('gfx') === (maker === 'AMD')).map((one) =>
      h('option', { value: one.name, selected: one.name === get(name) },
        one.product === '' ? one.name : `${one.name} · ${one.product}`)))));
  const wanted = get(name);
  if (wanted !== '' && !processors.some((one) => one.name === wanted)) {
    // A link or a command may name a product: the box says which processor that is.
    const unknown = h('option', { value: wanted, selected: true }, wanted) as HTMLOptionElement;
    input.prepend(unknown);
    later(reportIfAny(['list', '--processors', '--arch', wanted]).then((said) => {
      const found: string | undefined = said?.processors?.[0]?.processor;
      if (found === undefined || !processors.some((one) => one.name === found)) unknown.textContent = `${wanted}: not a processor`;
      else if (get(name) === wanted) {
        unknown.remove();
        (input as HTMLSelectElement).value = found;
        change({ [name]: found });
      }
    }));
  }
  return labelled(label, '', input);
}

export function check(name: string, label: string, edited: Edited): HTMLElement {
  const input = h('input', {
    type: 'checkbox', name, checked: get(name) !== '', id: `field-${++count}`,
    onchange: () => {
      change({ [name]: (input as HTMLInputElement).checked ? '1' : '' });
      edited();
    },
  });
  return h('div', { class: 'field check' }, input, h('label', { for: input.id }, label));
}

/** Buttons that fill in an example. */
export function examples(list: readonly (readonly [string, Record<string, string>])[], chosen: Edited): HTMLElement {
  return h('div', { class: 'examples' }, h('span', { class: 'muted' }, 'Try'),
    list.map(([label, state]) => h('button', {
      type: 'button', class: 'chip',
      onclick: () => {
        change(state);
        chosen();
      },
    }, label)));
}

export const row = (...fields: HTMLElement[]): HTMLElement => h('div', { class: 'field-row' }, fields);

/** Words of a command line for the fields that are filled in: option('arch', '--arch'). */
export const option = (name: string, words: string): string[] => (get(name).trim() === '' ? [] : [words, get(name).trim()]);
export const flag = (name: string, words: string): string[] => (get(name) === '' ? [] : [words]);

/** The same question on the command line, quoted for a shell. */
export function commandLine(words: readonly string[]): string {
  return ['heddle', ...words.map((word) => (/^[\w.:,=@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))].join(' ');
}

export const types = ['f16', 'bf16', 'f32', 'f64', 'e4m3', 'e5m2', 'i8', 'i32', 'iu4'].map((name) => [name, name] as const);
export const typeField = (edited: Edited, otherwise = "the operand's"): HTMLElement => select('type', 'Element', [['', otherwise], ...types], edited);
