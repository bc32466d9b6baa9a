/**
 * The chat (docs/platform-notes/zoom.md#chat). Its rows are in the DOM only while the panel is open, and of those only
 * some.
 */
import { box, h } from '../../shared/page/dom.ts'
import { chatComposer } from './chat-composer.ts'
import { chatRows, type SystemLine } from './chat-row.ts'
import { type UiContext, zmButton } from './context.ts'
import { tip } from './modals.ts'
import type { ChatLine, UiSettings } from './protocol.ts'
import { CLASS, ID, LABEL, TEXT } from './table.ts'
import { VirtualList } from './virtual-list.ts'

/** Longer than the bot's poll interval. */
const DRAWN_LATE_MS = 400

export class ChatPanel {
  readonly root: HTMLElement
  private readonly context: UiContext
  private readonly list: HTMLElement
  private readonly rows: VirtualList
  private readonly bottom = box('chat-bottom')
  private readonly lines: (ChatLine | SystemLine)[] = []
  private policy: UiSettings['chat']

  constructor(context: UiContext, onClose: () => void) {
    const { words, settings } = context
    this.context = context
    this.policy = settings.chat
    this.list = h('div', {
      id: ID.chatList,
      class: CLASS.chatList,
      role: 'application',
      'aria-label': words(LABEL.chatList),
      tabindex: 0,
    })
    this.rows = new VirtualList(this.list)
    if (settings.chatReceiver === 'group') this.lines.push({ system: words(TEXT.chatGroupNotice) })
    this.lines.push({ system: words(TEXT.chatWhoSees) })
    const list = settings.chatVirtuoso ? box(CLASS.chatVirtuoso, this.list) : this.list
    const panel = box(
      CLASS.chat,
      box(
        'panel-header',
        h('span', { class: CLASS.panelTitle }, words(TEXT.chat)),
        zmButton({ class: 'panel-close', 'aria-label': 'Close' }, onClose, '×'),
      ),
      box(CLASS.chatListBox, list),
      this.bottom,
    )
    this.root = settings.chatWrapper ? h('div', { id: 'chat' }, panel) : panel
    this.setPolicy(settings.chat)
  }

  /** Some builds of the client list who joined and left. */
  addSystemLine(text: string): void {
    if (this.context.settings.chatListsPeople) this.add({ system: text })
  }

  add(line: ChatLine | SystemLine): void {
    const follows = !this.root.isConnected || this.rows.isAtEnd
    this.lines.push(line)
    if (this.root.isConnected) this.render(follows)
  }

  /** A deleted message leaves the list without a placeholder. */
  change(line: ChatLine): void {
    const place = this.lines.findIndex((candidate) => 'id' in candidate && candidate.id === line.id)
    if (place < 0) return
    this.lines.splice(place, 1, ...(line.isDeleted ? [] : [line]))
    if (this.root.isConnected) this.render(this.rows.isAtEnd)
  }

  setPolicy(policy: UiSettings['chat']): void {
    this.policy = policy
    this.bottom.replaceChildren(policy === 'on' ? chatComposer(this.context) : this.closedNotice())
  }

  /** Called when the panel is added to the page. */
  opened(): void {
    if (this.context.settings.chatDrawsLate) {
      const { words, settings } = this.context
      this.rows.show(chatRows(this.lines, words, settings.lang).slice(-1))
      setTimeout(() => this.render(true), DRAWN_LATE_MS)
    } else this.render(true)
    if (!this.context.settings.chatTip) return
    this.context.settings.chatTip = false
    this.root.append(tip(this.context.words(TEXT.chatTip), this.context.words(TEXT.gotIt)))
  }

  private render(follows: boolean): void {
    this.rows.show(chatRows(this.lines, this.context.words, this.context.settings.lang))
    if (follows) this.rows.scrollToEnd()
  }

  private closedNotice(): HTMLElement {
    const text = this.policy === 'disabled' ? TEXT.chatDisabled : TEXT.chatDisabledByHost
    return box(CLASS.chatWarning, this.context.words(text))
  }

  close(): void {
    this.rows.close()
  }
}
