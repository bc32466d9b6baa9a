/** Who is in the call: a button or a badge with the number, and a list that holds only the rows that fit. */

import { box, h, setAttribute } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'
import type { PagePerson } from './protocol.ts'

const ROWS_SHOWN = 20
const ROW_HEIGHT = 48
const BADGE_NAME = 'people-badge-name'

export interface PeoplePanel {
  /** Button for the toolbar, or badge for the top right. */
  opener: HTMLElement
  panel: HTMLElement
  show(people: PagePerson[]): void
  close(): void
}

export function peoplePanel(context: Context, toggle: (panel: HTMLElement) => void): PeoplePanel {
  const { cls, words, settings } = context
  let people: PagePerson[] = []
  const list = h('div', {
    role: 'list',
    'aria-label': words('Participants'),
    'aria-busy': 'false',
  })
  const scroller = box(cls('peopleList'), list)
  const count = h('div')
  const panel = h(
    'aside',
    { 'aria-label': words('Side panel'), class: cls('panel'), hidden: true },
    h('div', { role: 'heading', 'aria-level': 2 }, words('People')),
    box(cls('section'), h('span', words('Contributors')), count),
    scroller,
  )
  const open = () => {
    toggle(panel)
    fill()
  }
  const number = h('div')
  const opener = settings.peopleBadge
    ? h(
        'div',
        { role: 'button', tabindex: 0, 'aria-haspopup': 'dialog', 'aria-labelledby': BADGE_NAME, class: cls('badge') },
        // The button shows pictures of people instead of an icon.
        h('img', { alt: '' }),
        h('span', { id: BADGE_NAME, style: 'display:none' }, words('People')),
        number,
      )
    : button(context, { icon: 'people', attributes: { 'data-panel-id': 1 } }, open)
  const hover = settings.peopleBadge ? hoverDialog(context, opener, open) : null

  function fill(): void {
    number.textContent = String(people.length)
    setAttribute(number, 'data-avatar-count', people.length)
    count.textContent = String(people.length)
    if (!settings.peopleBadge) {
      setAttribute(opener, 'aria-label', words('People - {0} joined', String(people.length)))
    }
    hover?.show(people.length)
    // Rows have no nodes before the panel was opened once.
    if (panel.hidden && list.childElementCount === 0) return
    const first = Math.min(Math.floor(scroller.scrollTop / ROW_HEIGHT), Math.max(0, people.length - ROWS_SHOWN))
    const shown = people.slice(first, first + ROWS_SHOWN)
    const rows = new Map([...list.children].map((row) => [row.getAttribute('data-participant-id'), row]))
    const fresh = shown.map((person, index) => {
      const row = rows.get(person.device)
      const made = row && row.getAttribute('aria-label') === person.name ? row : rowOf(context, person)
      setAttribute(made, 'aria-setsize', people.length)
      setAttribute(made, 'aria-posinset', first + index + 1)
      return made
    })
    list.style.setProperty('padding-top', `${first * ROW_HEIGHT}px`)
    list.style.setProperty('padding-bottom', `${(people.length - first - shown.length) * ROW_HEIGHT}px`)
    list.replaceChildren(...fresh)
  }

  scroller.addEventListener('scroll', () => {
    setAttribute(list, 'aria-busy', 'true')
    requestAnimationFrame(() => {
      fill()
      setAttribute(list, 'aria-busy', 'false')
    })
  })
  const byKey = (event: KeyboardEvent) => {
    if (event.ctrlKey && event.altKey && event.key.toLowerCase() === 'p') open()
  }
  document.addEventListener('keydown', byKey)
  fill()
  return {
    opener,
    panel,
    show(next) {
      people = next
      fill()
    },
    close: () => document.removeEventListener('keydown', byKey),
  }
}

function rowOf(context: Context, person: PagePerson): HTMLElement {
  const { cls, words } = context
  const mute = person.muted
    ? button(context, {
        label: words("You can't unmute someone else"),
        icon: 'mic_off',
        attributes: { disabled: true },
      })
    : button(context, { label: words("Mute {0}'s microphone", person.name), icon: 'mic_none' })
  return h(
    'div',
    {
      role: 'listitem',
      'aria-label': person.name,
      'data-participant-id': person.device,
      class: cls('personRow'),
      tabindex: 0,
    },
    h('span', person.name),
    person.isSelf && h('span', words('(You)')),
    person.isHost && h('div', words('Meeting host')),
    person.merged && h('div', { 'aria-label': words('Adaptive audio group') }, words('Merged audio')),
    person.shareDevice !== null && h('div', words('Presentation')),
    !person.isSelf && mute,
    button(context, { label: words('More actions'), icon: 'more_vert' }),
  )
}

/** The badge shows its dialog while the pointer rests on it. */
function hoverDialog(context: Context, badge: HTMLElement, open: () => void) {
  const { cls, words, dialogLayer } = context
  const text = h('div')
  const dialog = h(
    'div',
    { role: 'dialog', 'aria-label': words('people in the call'), class: cls('hoverDialog') },
    text,
    button(context, { text: words('View all') }, () => {
      dialog.remove()
      open()
    }),
  )
  const show = () => dialogLayer.append(dialog)
  badge.addEventListener('pointerenter', show)
  badge.addEventListener('click', () => {
    dialog.remove()
    open()
  })
  badge.addEventListener('keydown', (event) => event.key === 'Enter' && show())
  document.addEventListener('keydown', (event) => event.key === 'Escape' && dialog.remove())
  document.addEventListener('click', (event) => {
    if (!badge.contains(event.target as Node) && !dialog.contains(event.target as Node)) dialog.remove()
  })
  return {
    show(count: number) {
      text.textContent = words('{0} people', String(count))
      setAttribute(dialog, 'aria-label', words('{0} people in the call', String(count)))
    },
  }
}
