/**
 * Captions over the pictures (docs/platform-notes/zoom.md#captions): initials and text, no full names, rows with one id
 * over and over.
 */
import { box, h } from '../../shared/page/dom.ts'
import { type UiContext, zmButton } from './context.ts'
import type { PagePerson } from './protocol.ts'
import { CLASS, ID } from './table.ts'

const ROW_SECONDS = 10

export interface Captions {
  root: HTMLElement
  /** The first use asks for a language; `done` is called with whether they are on. */
  toggle(done: (on: boolean) => void): void
  update(row: number, person: PagePerson | undefined, text: string): void
}

export function captionOverlay({ settings, say }: UiContext): Captions {
  const lines = box(`${CLASS.captionBox} ${CLASS.captionBox}--hide`)
  const root = box('live-transcription-subtitle__wrap', lines)
  const rows = new Map<number, { element: HTMLElement; hide: ReturnType<typeof setTimeout> | undefined }>()
  let on = false
  let asked = false
  const set = (next: boolean, done: (on: boolean) => void) => {
    on = next
    lines.classList.toggle(`${CLASS.captionBox}--hide`, !on)
    say({ say: 'captions', on })
    done(on)
  }
  return {
    root,
    toggle(done) {
      if (asked || on) {
        set(!on, done)
        return
      }
      asked = true
      const select = h('select', h('option', 'English'), h('option', 'German'))
      const ask = h(
        'div',
        { class: 'big-dialog', role: 'dialog' },
        h('label', { class: 'lt-checkbox-info' }, 'Ask again'),
      )
      ask.append(
        zmButton(
          { class: CLASS.primary },
          () => {
            ask.remove()
            set(true, done)
          },
          'Save',
        ),
      )
      const dialog = h('div', { class: CLASS.captionLanguage, role: 'dialog' }, 'Speaking language', select)
      const close = () => dialog.remove()
      dialog.append(
        zmButton({}, close, 'Cancel'),
        zmButton(
          { class: CLASS.primary },
          () => {
            close()
            root.append(ask)
          },
          'Save',
        ),
      )
      root.append(dialog)
    },
    update(row, person, text) {
      if (!on) return
      let known = rows.get(row)
      if (!known) {
        const initials = (person?.name ?? '?')
          .split(' ')
          .map((part) => [...part][0] ?? '')
          .join('')
          .slice(0, 2)
        const element = h(
          'div',
          { id: ID.caption },
          h('span', { class: 'zmu-data-selector-item__icon' }, initials),
          h('span', { class: CLASS.captionText }),
        )
        known = { element, hide: undefined }
        rows.set(row, known)
        lines.append(element)
      }
      const line = known.element.querySelector(`.${CLASS.captionText}`)
      if (line) line.textContent = text
      const { element } = known
      element.style.display = ''
      clearTimeout(known.hide)
      known.hide = setTimeout(() => {
        element.style.display = 'none'
      }, ROW_SECONDS * settings.secondMs)
    },
  }
}
