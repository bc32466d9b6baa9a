/** The guest's name: a field that its page controls, so that what is put into it behind the page's back is lost. */
import { h } from '../../shared/page/dom.ts'
import type { Context } from './context.ts'

/** How often the page renders the field again from its state. */
const RENDER_EVERY_MS = 400

export interface NameField {
  root: HTMLElement
  /** From now on the page listens; what was typed before is forgotten. */
  hydrate(): void
  close(): void
}

/**
 * Makes a name field that behaves as React's: the page learns of a change by the `input` event, and only when the value differs from the one that
 * was last assigned through the element itself. A script that sets `.value` and fires the event changes nothing.
 */
export function nameField({ cls, words, name }: Context, isHydrated: boolean): NameField {
  const input = h('input', {
    type: 'text',
    class: `fui-Input__input ${cls('nameInput')}`,
    'data-tid': 'prejoin-display-name-input',
    placeholder: words('Type your name'),
    'aria-label': words('Type your name'),
    maxlength: 100,
    autocomplete: 'off',
  })
  const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
  const write = (text: string) => native?.set?.call(input, text)
  const read = (): string => native?.get?.call(input) ?? ''
  let tracked = ''
  Object.defineProperty(input, 'value', {
    configurable: true,
    get: read,
    set(text: unknown) {
      write(String(text))
      tracked = String(text)
    },
  })
  const render = () => {
    tracked = name.value
    if (read() !== name.value) write(name.value)
  }
  let hydrated = isHydrated
  input.addEventListener('input', () => {
    if (!hydrated || read() === tracked) return
    tracked = read()
    name.value = tracked
  })
  render()
  const timer = setInterval(() => hydrated && render(), RENDER_EVERY_MS)
  return {
    root: h('span', { class: `fui-Input ${cls('nameBox')}` }, input),
    hydrate() {
      hydrated = true
      render()
    },
    close: () => clearInterval(timer),
  }
}
