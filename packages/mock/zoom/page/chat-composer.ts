/**
 * Where messages are written: the editor of today, or the text box of older builds (docs/platform-notes/zoom.md#chat).
 */
import { box, h, setAttribute } from '../../shared/page/dom.ts'
import { type UiContext, zmButton } from './context.ts'
import { CLASS, ID, LABEL, TEXT } from './table.ts'

const LONGEST = { rich: 4096, textarea: 1024 } as const

interface Editor {
  root: HTMLElement
  /** As it would be sent. */
  text(): string
  clear(): void
  /** After every change. */
  tidy(isEmpty: boolean): void
}

export function chatComposer(context: UiContext): HTMLElement {
  const { words, settings, say } = context
  const receiver = words(settings.chatReceiver === 'group' ? TEXT.groupChat : TEXT.everyone)
  const editor = settings.chatEditor === 'rich' ? richEditor(context) : plainEditor(context)
  const submit = () => {
    const written = editor.text()
    if (written === '' || written.length > LONGEST[settings.chatEditor]) return
    editor.clear()
    send.disabled = true
    say({ say: 'chat', text: written })
  }
  const send = zmButton({ class: CLASS.send, 'aria-label': words(LABEL.send), disabled: true }, submit, '➤')
  editor.root.addEventListener('input', () => {
    send.disabled = editor.text() === ''
    editor.tidy(send.disabled)
  })
  editor.root.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  })
  return box(
    'chat-rtf-box',
    h(
      'div',
      { id: ID.receiver },
      h('button', { type: 'button', class: CLASS.receiver, 'aria-label': words(LABEL.receiver, receiver) }, receiver),
    ),
    settings.chatEditor === 'rich' ? box(CLASS.editorOuter, editor.root) : editor.root,
    send,
  )
}

function richEditor({ words }: UiContext): Editor {
  const root = h('div', {
    class: 'tiptap ProseMirror',
    contenteditable: 'true',
    role: 'textbox',
    'aria-multiline': 'true',
    translate: 'no',
  })
  const clear = () => {
    const attributes = { 'data-placeholder': words(TEXT.chatPlaceholder), class: 'is-empty' }
    root.replaceChildren(h('p', attributes, h('br')))
  }
  clear()
  return {
    root,
    clear,
    // biome-ignore lint/performance/useDomNodeTextContent: line breaks of the editor are in innerText only.
    text: () => root.innerText.replace(/\u00a0/g, ' ').trim(),
    tidy(isEmpty) {
      const first = root.querySelector('p')
      // The framework never leaves the editor without its paragraph.
      if (!first) clear()
      else setAttribute(first, 'class', isEmpty ? 'is-empty' : undefined)
    },
  }
}

function plainEditor({ words }: UiContext): Editor {
  const root = h('textarea', {
    class: CLASS.oldTextBox,
    maxlength: LONGEST.textarea,
    placeholder: words(TEXT.chatPlaceholder),
  })
  return {
    root,
    text: () => root.value.trim(),
    clear: () => {
      root.value = ''
    },
    tidy: () => {},
  }
}
