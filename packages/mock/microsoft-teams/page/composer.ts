/**
 * The message box. Its shown text and its model differ (docs/platform-notes/microsoft-teams.md#chat): keys,
 * `beforeinput` and paste change the model. Text that a script puts into the element is shown and never sent.
 */
import { h } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'

export interface Composer {
  root: HTMLElement
  close(): void
}

const MAX_TEXT_LENGTH = 28_000

export function composer(context: Context, send: (text: string) => void): Composer {
  const { cls, words, settings } = context
  let model = ''
  const box = h('div', {
    'data-tid': 'ckeditor',
    contenteditable: 'true',
    role: 'textbox',
    'aria-label': words('Type a message'),
    'aria-multiline': 'true',
    class: `ck ck-editor__editable ck-content ${cls('composerBox')}`,
  })
  const sendButton = button(
    context,
    {
      'data-tid': 'newMessageCommands-send',
      name: 'send',
      'aria-label': words('Send (Ctrl+Enter)'),
      disabled: true,
    },
    '➤',
    () => submit(),
  )
  const render = () => {
    const lines = model.split('\n')
    box.replaceChildren(...lines.map((line) => h('p', line === '' ? h('br') : line)))
    sendButton.disabled = model.trim() === ''
    if (document.activeElement !== box) return
    const range = document.createRange()
    range.selectNodeContents(box.lastElementChild ?? box)
    range.collapse(false)
    const selection = getSelection()
    selection?.removeAllRanges()
    selection?.addRange(range)
  }
  const insert = (text: string) => {
    const selected = getSelection()?.toString() ?? ''
    // A selection in the box is replaced; otherwise the caret is at the end.
    const kept = selected !== '' && isAllSelected(box) ? '' : model
    model = (kept + text).slice(0, MAX_TEXT_LENGTH)
    render()
  }
  const submit = () => {
    const text = model.trim()
    if (text === '') return
    model = ''
    render()
    send(text)
  }
  box.addEventListener('beforeinput', (event) => {
    const { inputType, data, dataTransfer } = event as InputEvent
    event.preventDefault()
    if (inputType === 'insertParagraph' || inputType === 'insertLineBreak') insert('\n')
    else if (inputType.startsWith('insert')) insert(data ?? dataTransfer?.getData('text/plain') ?? '')
    else if (inputType.startsWith('delete')) {
      model = isAllSelected(box) ? '' : [...model].slice(0, -1).join('')
      render()
    }
  })
  box.addEventListener('paste', (event) => {
    event.preventDefault()
    insert(event.clipboardData?.getData('text/plain') ?? '')
  })
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing || event.shiftKey) return
    event.preventDefault()
    if (event.ctrlKey || settings.skin === 'full') submit()
  })
  render()
  return {
    root: h('div', { 'data-tid': 'ckeditor-replyBox', class: cls('composer') }, box, sendButton),
    close: () => {
      model = ''
    },
  }
}

function isAllSelected(box: HTMLElement): boolean {
  const selection = getSelection()
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return false
  const text = box.textContent ?? ''
  return selection.toString().trim().length >= text.trim().length && selection.containsNode(box, true)
}
