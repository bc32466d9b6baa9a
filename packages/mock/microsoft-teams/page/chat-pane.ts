/**
 * The chat (docs/platform-notes/microsoft-teams.md#chat): rows exist while the pane is open, the newest of them, in
 * elements that are used again.
 */
import { box, h } from '../../shared/page/dom.ts'
import { shownNodes } from './chat-message.ts'
import { type Composer, composer } from './composer.ts'
import { type Context, part } from './context.ts'
import type { ChatLine } from './protocol.ts'
import type { PaneContent } from './side-pane.ts'

/** More rows than this are not in the document; scrolling up brings older ones. */
const ROWS_SHOWN = 30
const SAME_AUTHOR_MS = 300_000
const OLDER_ROWS = 10

export class ChatPane implements PaneContent {
  readonly title = 'Meeting chat'
  readonly mountMs: number
  private readonly context: Context
  private readonly lines: ChatLine[] = []
  private enabled: boolean
  private first = 0
  private rows: HTMLElement | null = null
  private foot: HTMLElement | null = null
  private box: Composer | null = null

  constructor(context: Context) {
    this.context = context
    this.mountMs = context.settings.chatMountMs
    this.enabled = context.settings.chat === 'on'
  }

  add(line: ChatLine): void {
    this.lines.push(line)
    this.first = Math.max(0, this.lines.length - ROWS_SHOWN)
    this.fill()
    if (this.rows?.parentElement) this.rows.parentElement.scrollTop = this.rows.parentElement.scrollHeight
  }

  change(line: ChatLine): void {
    const place = this.lines.findIndex(({ id }) => id === line.id)
    if (place < 0) return
    this.lines[place] = line
    this.fill()
  }

  setEnabled(enabled: boolean): void {
    this.enabled = enabled
    this.fillFoot()
  }

  mount(): HTMLElement {
    const { cls } = this.context
    this.rows = part('message-pane-list-runway', { role: 'list', class: cls('runway') })
    const viewport = part('message-pane-list-viewport', { class: cls('viewport') }, this.rows)
    viewport.addEventListener('scroll', () => {
      if (viewport.scrollTop > 0 || this.first === 0) return
      this.first = Math.max(0, this.first - OLDER_ROWS)
      this.fill()
    })
    this.foot = box(cls('chatFoot'))
    this.fill()
    this.fillFoot()
    return box(
      cls('chat'),
      part('chat-pane-list', { id: 'chat-pane-list', class: cls('viewportBox') }, viewport),
      this.foot,
    )
  }

  unmount(): void {
    this.rows = null
    this.foot = null
    this.box?.close()
    this.box = null
  }

  private fillFoot(): void {
    if (!this.foot) return
    const { words, say } = this.context
    this.box?.close()
    this.box = null
    if (!this.enabled) {
      this.foot.replaceChildren(
        part('compose-disabled-placeholder-text', {}, words('The organizer turned chat off for this meeting.')),
      )
      return
    }
    this.box = composer(this.context, (text) => say({ say: 'chat', text }))
    this.foot.replaceChildren(this.box.root)
  }

  /** An element represents a place in the list, not a message: its content is replaced. */
  private fill(): void {
    if (!this.rows) return
    const shown = this.lines.slice(this.first, this.first + ROWS_SHOWN)
    while (this.rows.childElementCount > shown.length) this.rows.lastElementChild?.remove()
    while (this.rows.childElementCount < shown.length) {
      this.rows.append(part('chat-pane-item', { role: 'listitem' }))
    }
    shown.forEach((line, index) => {
      const previous = index === 0 ? undefined : shown[index - 1]
      const row = this.rows?.children[index]
      if (row) this.fillRow(row as HTMLElement, line, previous)
    })
  }

  private fillRow(row: HTMLElement, line: ChatLine, previous: ChatLine | undefined): void {
    const { words, cls } = this.context
    const key = `${line.id} ${line.text} ${line.isDeleted} ${previous?.id}`
    if (row.dataset.key === key) return
    row.dataset.key = key
    if (line.mri === null && !line.isOwn) {
      row.removeAttribute('aria-label')
      row.replaceChildren(
        part('control-message-renderer', { class: `fui-ChatControlMessage ${cls('notice')}` }, line.text),
      )
      return
    }
    const time = new Date(line.at)
    const clock = time.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })
    row.setAttribute('aria-label', `${line.name}, ${clock}, ${line.text}`)
    // Builds differ in the marks of authors, own messages and deleted ones.
    const isNewBuild = this.context.settings.seed % 2 === 1
    const ownClass = isNewBuild ? 'fui-ChatMyMessage__body' : 'fui-ChatMyMessage'
    const tombstone =
      line.isDeleted === true &&
      part('message-tombstone', { class: cls('notice') }, words('This message has been deleted.'))
    const isFollowing = previous?.mri === line.mri && line.at - (previous?.at ?? 0) < SAME_AUTHOR_MS
    row.replaceChildren(
      part(
        'chat-pane-message',
        {
          'data-mid': line.id,
          class: line.isOwn ? `${ownClass} ${cls('message0')}` : `fui-ChatMessage ${cls('message0')}`,
        },
        !isFollowing &&
          !line.isOwn &&
          h(
            'span',
            {
              id: `author-${line.id}`,
              'data-tid': isNewBuild ? undefined : 'message-author-name',
              class: cls('author'),
            },
            line.name,
          ),
        h('time', { datetime: time.toISOString(), class: cls('time') }, clock),
        line.isEdited && h('span', { class: cls('time') }, words('Edited')),
        line.isDeleted
          ? !isNewBuild && tombstone
          : h(
              'div',
              { id: `message-body-${line.id}` },
              h(
                'div',
                { id: `content-${line.id}`, 'data-tid': 'messageBodyContent', class: cls('body') },
                ...shownNodes(
                  line,
                  this.lines.find(({ id }) => id === line.replyTo),
                ),
              ),
            ),
      ),
      ...(isNewBuild && tombstone ? [tombstone] : []),
    )
  }
}
