/**
 * The list of people (docs/platform-notes/microsoft-teams.md#people-pane): only while its pane is open, and only the
 * rows that fit.
 */
import { box, h } from '../../shared/page/dom.ts'
import { type Context, part, randomId } from './context.ts'
import type { PagePerson } from './protocol.ts'
import type { PaneContent } from './side-pane.ts'

const ROWS_SHOWN = 20
const ROW_PX = 44

export class PeoplePane implements PaneContent {
  readonly title = 'Participants'
  readonly mountMs: number
  private readonly context: Context
  private people: PagePerson[] = []
  private tree: HTMLElement | null = null
  private scroller: HTMLElement | null = null
  private heading: HTMLElement | null = null

  constructor(context: Context) {
    this.context = context
    this.mountMs = context.settings.peopleMountMs
  }

  show(people: PagePerson[]): void {
    // The page's own row is first, as in the real list.
    this.people = [...people].sort((one, other) => Number(other.isSelf) - Number(one.isSelf))
    this.fill()
  }

  mount(): HTMLElement {
    const { cls, words, settings } = this.context
    this.heading = h('div', { id: 'roster-title-section-2', class: cls('sectionTitle') })
    this.tree = h('div', { role: 'tree', 'aria-label': words('Attendees') })
    this.scroller = part('calling-roster-wrapper-attendees', { class: cls('peopleList') }, this.tree)
    this.scroller.addEventListener('scroll', () => requestAnimationFrame(() => this.fill()))
    const root = part(
      'calling-roster',
      { class: cls('roster') },
      part('calling-roster-wrapper', { class: cls('roster') }, this.heading, this.scroller),
      ...this.others('Waiting in lobby', 'participantsInLobby', settings.waiting),
      ...this.others('Others invited', 'participantsFromThread', settings.invited),
    )
    queueMicrotask(() => this.fill())
    return root
  }

  unmount(): void {
    this.tree = null
    this.scroller = null
    this.heading = null
  }

  private fill(): void {
    if (!this.tree || !this.scroller || !this.heading) return
    const { words, settings } = this.context
    const { people, tree, scroller } = this
    const title = settings.link === 'classic' ? 'Currently in this call ({0})' : 'In this meeting ({0})'
    this.heading.textContent = words(title, String(people.length))
    const first = Math.max(0, Math.min(Math.floor(scroller.scrollTop / ROW_PX), people.length - ROWS_SHOWN))
    const shown = people.slice(first, first + ROWS_SHOWN)
    tree.style.paddingTop = `${first * ROW_PX}px`
    tree.style.paddingBottom = `${(people.length - first - shown.length) * ROW_PX}px`
    // Rows are used again for other people, as in any virtual list.
    tree.replaceChildren(...shown.map((person) => this.personRow(person)))
  }

  /** People who are in the list and not in the meeting. */
  private others(title: string, prefix: string, names: readonly string[]): HTMLElement[] {
    const { cls, words } = this.context
    if (names.length === 0) return []
    return [
      box(cls('sectionTitle'), `${words(title)} (${names.length})`),
      h(
        'div',
        { role: 'tree', 'aria-label': words(title) },
        ...names.map((name) => this.row(name, `${prefix}-${name}`, name, null)),
      ),
    ]
  }

  private personRow(person: PagePerson): HTMLElement {
    const { words, settings } = this.context
    const role = { organizer: words('Organizer'), presenter: '', attendee: '' }[person.role]
    const mark = person.role === 'attendee' ? ' Unfamiliar external contact' : ''
    const label = [`${person.name}${mark}`, role, words(person.muted ? 'Microphone muted' : 'Microphone unmuted')]
    const prefix = settings.link === 'classic' ? 'participantsInCall' : 'attendeesInMeeting'
    return this.row(person.name, `${prefix}-${person.name}`, label.filter(Boolean).join(', '), person)
  }

  private row(name: string, tid: string, label: string, person: PagePerson | null): HTMLElement {
    const { cls, random, words } = this.context
    const row = h(
      'div',
      {
        role: 'treeitem',
        tabindex: -1,
        'data-cid': 'roster-participant',
        'data-tid': tid,
        'aria-label': label,
        class: cls('personRow'),
      },
      h('span', { id: randomId(random, `roster-avatar-img`), 'aria-hidden': 'true', class: cls('smallAvatar') }),
      h('span', name),
      person?.role === 'organizer' && part('ts-roster-organizer-status', {}, words('Organizer')),
      person?.muted && h('span', { 'data-cid': 'roster-participant-muted', 'aria-hidden': 'true' }, '⊘'),
    )
    return row
  }
}
