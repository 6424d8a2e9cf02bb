// Steps that can be walked through or played: phases of an access, rounds of a conversion.
import { h } from './dom.js';

export interface Player {
  element: HTMLElement;
}

/** Shows step `at` of `count`; `shown` is called with each. Playing ends with the page's next answer. */
export function player(label: string, count: number, at: number, shown: (step: number) => string): Player {
  let step = Math.min(Math.max(at, 0), count - 1);
  let timer: ReturnType<typeof setInterval> | undefined;
  const words = h('span', { class: 'player-words', role: 'status' });
  const range = h('input', {
    type: 'range', min: 0, max: count - 1, value: step, 'aria-label': label,
    oninput: () => {
      stop();
      move(Number((range as HTMLInputElement).value));
    },
  }) as HTMLInputElement;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = 'Play';
  };
  const move = (to: number) => {
    step = (to + count) % count;
    range.value = String(step);
    words.textContent = shown(step);
  };
  const button = (text: string, name: string, act: () => void) => h('button', { type: 'button', 'aria-label': name, title: name, onclick: act }, text);
  const play = button('Play', `Play ${label}`, () => {
    if (timer !== undefined) return stop();
    play.textContent = 'Pause';
    timer = setInterval(() => (element.isConnected ? move(step + 1) : stop()), 1100);
  });
  const element = h('div', { class: 'player', role: 'group', 'aria-label': label },
    button('‹', `${label}: one back`, () => { stop(); move(step - 1); }), play,
    button('›', `${label}: one on`, () => { stop(); move(step + 1); }), range, words);
  move(step);
  return { element };
}
