// Elements of the page, made in one expression each.

/** "1 pass", "2 passes": `noun` is that of one; `shown` the number as it is written. */
export const counted = (count: number, noun: string, shown = String(count)): string => `${shown} ${noun}${count === 1 ? '' : /(s|ch)$/.test(noun) ? 'es' : 's'}`;

type Child = Node | string | number | null | undefined | false | readonly Child[];
type Attributes = Record<string, unknown>;

/** h('button', {class: 'x', onclick: f}, 'text'): functions become listeners, true an empty attribute;
 * false and undefined leave the attribute out. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'value') (element as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
  }
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** Code with a button that copies it. */
export function code(text: string, label: string, className = ''): HTMLElement {
  return h('div', { class: `code ${className}` }, h('pre', { tabindex: 0, 'aria-label': label, class: text.trim().includes('\n') ? 'lines' : '' }, text), copyButton(text, label));
}

export function copyButton(text: string, label: string): HTMLElement {
  const button = h('button', { class: 'copy', type: 'button', 'aria-label': `Copy ${label}`, title: `Copy ${label}` }, 'Copy');
  button.addEventListener('click', async () => {
    const done = await copyText(text);
    button.textContent = done ? 'Copied' : 'Press Ctrl+C';
    announce(done ? `${label} copied` : 'could not copy');
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  return button;
}

/** Whether the text is on the clipboard now. A page from a file may have no clipboard interface. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { class: 'offscreen', value: text }) as HTMLTextAreaElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** Tells who listens rather than looks. */
export function announce(text: string): void {
  const place = document.getElementById('announcement');
  if (place !== null && place.textContent !== text) place.textContent = text;
}

/** Rows of a name and what it is; those without a value are left out. */
export function facts(rows: readonly (readonly [string, Child])[]): HTMLElement {
  return h('dl', { class: 'facts' },
    rows.filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false)
      .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

export function card(title: string, ...children: Child[]): HTMLElement {
  return h('section', { class: 'card' }, h('h2', {}, title), children);
}
