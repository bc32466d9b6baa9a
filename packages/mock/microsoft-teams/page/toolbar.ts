/** The bar of the call (docs/platform-notes/microsoft-teams.md#toolbar-of-the-call): it hides while the pointer rests. */
import type { DeviceKind } from '../../shared/page/devices.ts'
import { type Attributes, h, setAttribute } from '../../shared/page/dom.ts'
import type { OwnScreen } from '../../shared/page/own-screen.ts'
import { hideWhenIdle } from '../../shared/page/page-habits.ts'
import { button, type Context, part } from './context.ts'
import { type MenuItem, toggleMenu } from './menus.ts'
import type { PagePerson } from './protocol.ts'

export interface ToolbarActions {
  toggleChat(): void
  togglePeople(): void
  captionItems(): MenuItem[]
  changeView(): void
  screen: OwnScreen
}

export class Toolbar {
  readonly root: HTMLElement
  private readonly context: Context
  private readonly rosterButton: HTMLElement
  private readonly stops: (() => void)[] = []
  private count = 0
  private isRelayouting = false
  private receivesVideo = true
  private badgeTimer: ReturnType<typeof setTimeout> | undefined
  private relayoutTimer: ReturnType<typeof setTimeout> | undefined

  constructor(context: Context, actions: ToolbarActions) {
    const { cls, words, settings } = context
    this.context = context
    this.rosterButton = tool(context, 'roster-button', 'People', '☷', actions.togglePeople)
    const chat = tool(context, 'chat-button', 'Chat', '✉', actions.toggleChat)
    const more = tool(context, 'callingButtons-showMoreBtn', 'More', '⋯', () =>
      toggleMenu(context, more, () => this.moreItems(actions)),
    )
    const raise = tool(context, 'raisehands-button', 'Raise your hand', '✋', () => {}, {
      'aria-keyshortcuts': 'Ctrl+Shift+K',
    })
    const react = tool(context, 'reaction-button', 'React', '☺', () => {}, {
      'data-tid': 'reaction-menu-button-without-raise-hand',
      id: undefined,
    })
    const view = tool(
      context,
      'view-mode-button',
      'View',
      '▦',
      () => toggleMenu(context, view, () => this.viewItems(actions)),
      {
        'data-tid': 'view-mode-button',
      },
    )
    const middle = [
      settings.chat !== 'no-button' && chat,
      this.rosterButton,
      raise,
      react,
      // The light client has no such menu (docs/platform-notes/microsoft-teams.md#layouts-banners-and-incoming-video).
      settings.skin === 'full' && view,
      more,
    ].filter((item) => item !== false)
    const duration = h('span', { 'data-tid': 'call-duration' }, '00:00')
    this.root = part(
      'ubar-toolbar-wrapper',
      { 'data-layout': 'Inline', 'data-has-loaded': 'true', class: cls('toolbar') },
      h(
        'div',
        {
          role: 'toolbar',
          'aria-label': words('Calling indicators'),
          'data-tid': 'ubar-indicators',
          id: 'indicators',
          class: cls('row'),
        },
        button(context, { id: 'e2ee-status', 'aria-label': words('Encryption') }, '◈'),
        h('div', { id: 'call-duration-custom', role: 'time' }, duration),
      ),
      h(
        'div',
        {
          role: 'toolbar',
          'aria-label': words('Meeting controls'),
          'data-tid': 'ubar-horizontal-middle-end',
          id: 'horizontalMiddleEnd',
          class: cls('row'),
        },
        ...middle.map(overflowItem),
      ),
      h(
        'div',
        {
          role: 'group',
          'aria-label': words('Calling controls'),
          'data-tid': 'ubar-horizontal-end',
          id: 'horizontalEnd',
          class: cls('row'),
        },
        this.deviceButton('camera'),
        this.deviceButton('microphone'),
        this.shareButton(actions.screen),
        ...this.hangUp(),
      ),
    )
    const startedAt = Date.now()
    const clock = setInterval(() => {
      const seconds = Math.floor((Date.now() - startedAt) / 1000)
      duration.textContent = [seconds / 60, seconds % 60].map((n) => String(Math.floor(n)).padStart(2, '0')).join(':')
    }, 1000)
    this.stops.push(() => clearInterval(clock), hideWhenIdle([this.root], settings.toolbarHideMs))
  }

  /** The number on the people button appears a moment late, and is hidden when the page is alone. */
  show(people: PagePerson[]): void {
    this.count = people.length
    clearTimeout(this.badgeTimer)
    this.badgeTimer = setTimeout(() => this.paintBadge(), this.context.settings.badgeMs)
  }

  /** The number is away for a while (docs/platform-notes/microsoft-teams.md#number-of-participants). */
  relayout(): void {
    this.isRelayouting = true
    this.paintBadge()
    clearTimeout(this.relayoutTimer)
    this.relayoutTimer = setTimeout(() => {
      this.isRelayouting = false
      this.paintBadge()
    }, this.context.settings.relayoutMs)
  }

  close(): void {
    clearTimeout(this.badgeTimer)
    clearTimeout(this.relayoutTimer)
    for (const stop of this.stops) stop()
  }

  private paintBadge(): void {
    const { settings, cls } = this.context
    this.rosterButton.querySelector(`.${cls('badge')}`)?.remove()
    if (this.isRelayouting || this.count <= 1) return
    const { badgeCap } = settings
    const text = badgeCap > 0 && this.count > badgeCap ? `${badgeCap}+` : String(this.count)
    const tid = settings.badge === 'badge' ? 'toolbar-item-badge' : 'roster-button-tile'
    this.rosterButton.append(h('span', { 'data-tid': tid, class: cls('badge') }, text))
  }

  private deviceButton(kind: DeviceKind): HTMLElement {
    const { context } = this
    const { devices, words, settings } = context
    const isMicrophone = kind === 'microphone'
    const id = isMicrophone ? (settings.controls === 'work' ? 'microphone-button' : 'mic-button') : 'video-button'
    const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    const glyph = h('span', { 'aria-hidden': 'true' })
    const element = button(context, { id }, [icon, glyph], () => void devices.set(kind, !devices.isOn(kind)))
    const byKey = (event: KeyboardEvent) => {
      if (!event.ctrlKey || !event.shiftKey || event.key.toLowerCase() !== (isMicrophone ? 'm' : 'o')) return
      event.preventDefault()
      void devices.set(kind, !devices.isOn(kind))
    }
    document.addEventListener('keydown', byKey)
    const stop = devices.watch(() => {
      const isOn = devices.isOn(kind)
      element.disabled = !devices.exists(kind)
      glyph.textContent = isMicrophone ? (isOn ? '●' : '⊘') : isOn ? '▣' : '⊠'
      if (isMicrophone) {
        setAttribute(element, 'data-state', settings.controls === 'work' ? (isOn ? 'mic' : 'mic-off') : undefined)
        setAttribute(element, 'aria-label', words(isOn ? 'Mute mic' : 'Unmute mic'))
        const mark = devices.exists(kind)
          ? isOn
            ? 'ubar-mic-on-icon'
            : 'ubar-mic-off-icon'
          : 'ubar-mic-prohibited-icon'
        setAttribute(icon, 'data-testid', settings.controls === 'consumer' ? mark : undefined)
      } else setAttribute(element, 'aria-label', words(isOn ? 'Turn camera off' : 'Turn camera on'))
    })
    this.stops.push(stop, () => document.removeEventListener('keydown', byKey))
    return element
  }

  /** Attendees have none where only presenters may share. */
  private shareButton(screen: OwnScreen): HTMLElement {
    const { context } = this
    const items = () => [{ text: context.words('Screen, window, or tab'), run: () => void screen.start() }]
    const share: HTMLElement = tool(context, 'share-button', 'Share', '⇧', () =>
      screen.track ? screen.stop() : toggleMenu(context, share, items),
    )
    const stop = screen.watch(() => {
      setAttribute(share, 'aria-label', context.words(screen.track ? 'Stop sharing' : 'Share'))
      if (!screen.isAllowed) share.remove()
    })
    this.stops.push(stop)
    return share
  }

  private hangUp(): HTMLElement[] {
    const { context } = this
    const { words, settings, say, cls } = context
    const isSplit = settings.hangUp === 'split'
    const items: MenuItem[] = [
      { tid: 'hangup-leave-button', text: words('Leave'), run: () => say({ say: 'leave', how: 'leave' }) },
      {
        tid: 'hangup-end-meeting-button',
        text: words('End meeting'),
        run: () => say({ say: 'leave', how: 'end-for-all' }),
      },
    ]
    const main: HTMLElement = button(
      context,
      {
        id: 'hangup-button',
        'data-tid': 'hangup-main-btn',
        'data-inp': 'hangup-button',
        'aria-label': words('Leave'),
        'aria-keyshortcuts': 'Ctrl+Shift+H',
        class: `fui-Button ${cls('button')} ${cls('leave')}`,
      },
      [h('span', { 'aria-hidden': 'true' }, words('Leave'))],
      () => (isSplit ? toggleMenu(context, main, () => items) : say({ say: 'leave', how: 'hang-up' })),
    )
    const byKey = (event: KeyboardEvent) => {
      if (event.ctrlKey && event.shiftKey && event.key.toLowerCase() === 'h') say({ say: 'leave', how: 'hang-up' })
    }
    document.addEventListener('keydown', byKey)
    this.stops.push(() => document.removeEventListener('keydown', byKey))
    if (!isSplit) return [main]
    const options: HTMLElement = button(
      context,
      { id: 'hangup-options', 'data-tid': 'hangup-toggle-more-options-btn', 'aria-label': words('More options') },
      '⌄',
      () => toggleMenu(context, options, () => items),
    )
    return [main, options]
  }

  private moreItems({ captionItems }: ToolbarActions): MenuItem[] {
    const { words, settings } = this.context
    const captions =
      settings.captionsItem === 'submenu'
        ? [{ id: 'LanguageSpeechMenuControl-id', text: words('Language and speech'), submenu: captionItems }]
        : captionItems()
    return [
      { id: 'meeting-info-button', text: words('Meeting info') },
      { id: 'background-settings-button', text: words('Video effects and settings') },
      ...captions,
      { id: 'device-settings-button', text: words('Settings') },
    ]
  }

  private viewItems({ changeView }: ToolbarActions): MenuItem[] {
    const { words } = this.context
    return [
      { id: 'MixedGrid-button', text: words('Gallery'), run: changeView },
      { id: 'SpeakerView-button', text: words('Speaker'), run: changeView },
      {
        id: 'ViewModeMoreOptionsMenuControl-id',
        text: words('More options'),
        submenu: () => [this.incomingVideoItem()],
      },
    ]
  }

  private incomingVideoItem(): MenuItem {
    const { words, say } = this.context
    return {
      id: 'incoming-video-button',
      text: words(this.receivesVideo ? 'Turn off incoming video' : 'Turn on incoming video'),
      run: () => {
        this.receivesVideo = !this.receivesVideo
        say({ say: 'incomingVideo', on: this.receivesVideo })
      },
    }
  }
}

/** A button of the middle: its caption is hidden from screen readers, which get the label. */
function tool(
  context: Context,
  id: string,
  label: string,
  glyph: string,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLElement {
  const { words, cls } = context
  return button(
    context,
    { id, 'data-inp': id, 'aria-label': words(label), ...attributes },
    [
      h('span', { 'aria-hidden': 'true', class: cls('glyph') }, glyph),
      h('span', { 'aria-hidden': 'true', class: cls('caption') }, words(label).split(' ')[0] ?? ''),
    ],
    onClick,
  )
}

function overflowItem(item: HTMLElement): HTMLElement {
  return h(
    'div',
    { 'data-overflow-item': true, 'data-overflow-group': `horizontalMiddleEnd/${item.id || 'reactions'}` },
    item,
  )
}
