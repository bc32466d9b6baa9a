/**
 * Dialogs over the meeting, several at a time, and notices, which are no dialogs
 * (docs/platform-notes/zoom.md#notices-and-dialogs).
 */
import { box, h } from '../../shared/page/dom.ts'
import { zmButton } from './context.ts'
import { DIALOGS, type DialogKind, type DialogLook } from './dialog-kinds.ts'
import { CLASS, ID } from './table.ts'
import type { Words } from './words.ts'

const AGREE_IDS: Partial<Record<DialogKind, string>> = { disclaimer: ID.disclaimerAgree }

export class Modals {
  /** Beside the page's root, as portals are. */
  readonly root = box('ReactModalPortal')
  private readonly words: Words
  private readonly answer: (kind: DialogKind, choice: string) => void
  private readonly open = new Map<DialogKind, HTMLElement>()

  /** @param answer receives the clicked choice; the dialog is gone by then unless `stays` */
  constructor(words: Words, answer: (kind: DialogKind, choice: string) => void) {
    this.words = words
    this.answer = answer
  }

  show(kind: DialogKind, text = ''): void {
    if (this.open.has(kind)) return
    const dialog = this.build(kind, DIALOGS[kind], text)
    this.open.set(kind, dialog)
    this.root.append(dialog)
  }

  close(kind: DialogKind): void {
    this.open.get(kind)?.remove()
    this.open.delete(kind)
  }

  closeAll(): void {
    for (const kind of [...this.open.keys()]) this.close(kind)
  }

  private build(kind: DialogKind, { label, title, body, buttons, cls }: DialogLook, given: string): HTMLElement {
    const { words } = this
    const actions = buttons.map(({ text, choice, primary }) => {
      const voip = choice === 'join-audio' ? ` ${CLASS.joinAudioByVoip}` : ''
      return zmButton(
        {
          class: `${CLASS.legacyButton}${primary ? ` ${CLASS.primary}` : ''}${voip}`,
          id: choice === 'agree' ? AGREE_IDS[kind] : undefined,
        },
        () => {
          this.close(kind)
          this.answer(kind, choice)
        },
        words(text),
      )
    })
    const modal = h(
      'div',
      {
        class: `${CLASS.modal} ${CLASS.modalLegacy}${cls ? ` ${cls}` : ''}`,
      },
      box(CLASS.modalTitle, words(title)),
      box(CLASS.modalText, ...body.map((text) => h('p', words(text, given)))),
      box(CLASS.modalActions, ...actions),
    )
    return box(
      'ReactModal__Overlay ReactModal__Overlay--after-open',
      h(
        'div',
        {
          class: `${CLASS.modalContent} ${CLASS.modalContent}--after-open`,
          tabindex: -1,
          role: 'dialog',
          'aria-modal': 'true',
          'aria-label': label || undefined,
        },
        modal,
      ),
    )
  }
}

/** Notices at the top that disappear by themselves. */
export class Toasts {
  readonly root = h('div', { id: ID.notifications, class: CLASS.notifications })

  show(text: string, forMs: number): void {
    const toast = h('div', { class: CLASS.notification, role: 'alert' }, text)
    this.root.append(toast)
    setTimeout(() => toast.remove(), forMs)
  }

  /** Stays until its button is clicked. */
  banner(text: string, button: string, onClick: () => void): void {
    const bar = box(CLASS.consentBanner, h('span', text))
    bar.append(
      zmButton(
        { class: CLASS.primary },
        () => {
          bar.remove()
          onClick()
        },
        button,
      ),
    )
    this.root.append(bar)
  }
}

/** A tip beside a control: no dialog, but a button that takes it away. */
export function tip(text: string, button: string, cls: string = CLASS.tooltip): HTMLElement {
  const root = h('div', { class: cls, role: 'tooltip' }, h('div', text))
  root.append(zmButton({}, () => root.remove(), button))
  return root
}
