// Chromium without a window, driven over its debugging pipe (the Chrome DevTools Protocol): what a test
// of the page needs, and no package.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const program = process.env.CHROMIUM ?? 'chromium';

export class Browser {
  #next = 1;
  #waiting = new Map();
  #session;
  /** Addresses that the page asked for, and what it wrote to the console as an error. */
  requests = [];
  complaints = [];

  static async open({ width = 1400, height = 900, scale = 1, dark = false, touch = false } = {}) {
    const browser = new Browser();
    await browser.#start();
    const { targetId } = await browser.#send('Target.createTarget', { url: 'about:blank' });
    browser.#session = (await browser.#send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await browser.#send(`${domain}.enable`);
    await browser.look({ width, height, scale, dark, touch });
    return browser;
  }

  async #start() {
    this.folder = mkdtempSync(join(tmpdir(), 'heddle-chromium-'));
    this.process = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--disable-dev-shm-usage',
      '--remote-debugging-pipe', `--user-data-dir=${this.folder}`, '--no-first-run', '--disable-background-networking', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    let rest = '';
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', (text) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      for (const message of messages) this.#take(JSON.parse(message));
    });
  }

  #take(message) {
    if (message.id !== undefined) {
      const { done, failed, method } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) failed(new Error(`${method}: ${message.error.message}`));
      else done(message.result);
    } else if (message.method === 'Network.requestWillBeSent') this.requests.push(message.params.request.url);
    else if (message.method === 'Runtime.exceptionThrown') this.complaints.push(message.params.exceptionDetails.exception?.description ?? message.params.exceptionDetails.text);
    else if (message.method === 'Log.entryAdded' && message.params.entry.level === 'error') this.complaints.push(message.params.entry.text);
    else if (message.method === 'Runtime.consoleAPICalled' && message.params.type === 'error') this.complaints.push(JSON.stringify(message.params.args));
  }

  #send(method, params = {}) {
    const id = this.#next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, ...(this.#session ? { sessionId: this.#session } : {}) }) + '\0');
    return new Promise((done, failed) => this.#waiting.set(id, { done, failed, method }));
  }

  /** The size of the window, its colours, and whether it is touched. */
  async look({ width, height, scale = 1, dark = false, touch = false }) {
    await this.#send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: touch });
    await this.#send('Emulation.setTouchEmulationEnabled', { enabled: touch });
    await this.#send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
  }

  async go(address) {
    await this.#send('Page.navigate', { url: 'about:blank' });
    await this.#send('Page.navigate', { url: address });
    await this.until('document.readyState === "complete"');
  }

  /** The value of an expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.#send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async until(expression, milliseconds = 10000) {
    const end = Date.now() + milliseconds;
    for (;;) {
      if (await this.value(`Boolean(${expression})`).catch(() => false)) return;
      if (Date.now() > end) throw new Error(`waited ${milliseconds} ms in vain for ${expression}; ${this.complaints.join('; ')}`);
      await new Promise((done) => setTimeout(done, 15));
    }
  }

  /** Milliseconds of the processor that the page's thread has taken: what other work on the machine
   * does not change. */
  async processorTime() {
    await this.#send('Performance.enable', { timeDomain: 'threadTicks' });
    const { metrics } = await this.#send('Performance.getMetrics');
    return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
  }

  async hover(x, y) {
    await this.#send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  }

  async click(x, y) {
    for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
      await this.#send('Input.dispatchMouseEvent', { type, x, y, button: type === 'mouseMoved' ? 'none' : 'left', clickCount: 1 });
  }

  async press(key, code = key) {
    const number = { Enter: 13, Escape: 27, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 }[key];
    for (const type of ['keyDown', 'keyUp'])
      await this.#send('Input.dispatchKeyEvent', { type, key, code, windowsVirtualKeyCode: number, text: type === 'keyDown' && key === 'Enter' ? '\r' : undefined });
  }

  async type(text) {
    await this.#send('Input.insertText', { text });
  }

  /** A PNG of the window, or of the whole page. */
  async picture(whole = false) {
    const { data } = await this.#send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole });
    return Buffer.from(data, 'base64');
  }

  async close() {
    // Chromium is asked to end, so that its other processes have ended, too, and write no more into the
    // folder. It is killed where it does not answer.
    const ended = new Promise((done) => this.process.once('exit', done));
    const impatience = setTimeout(() => this.process.kill('SIGKILL'), 5000);
    this.#send('Browser.close').catch(() => {});
    await ended;
    clearTimeout(impatience);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}
