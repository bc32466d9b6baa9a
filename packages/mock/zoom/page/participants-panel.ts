/**
 * The list of participants (docs/platform-notes/zoom.md#participants-panel): virtualized, so that rows out of view are
 * not in the DOM.
 */
import { box, h } from '../../shared/page/dom.ts'
import { hashOf } from '../../shared/page/random.ts'
import { type UiContext, zmButton } from './context.ts'
import type { PagePerson } from './protocol.ts'
import { CLASS, ID, LABEL, TEXT } from './table.ts'
import { VirtualList } from './virtual-list.ts'
import type { Words } from './words.ts'

const ROW_HEIGHT = 44

export interface ParticipantsPanel {
  root: HTMLElement
  show(people: PagePerson[]): void
  close(): void
}

export function participantsPanel({ words, settings }: UiContext, onClose: () => void): ParticipantsPanel {
  const title = h('span', { class: `${CLASS.participantsHeader} ${CLASS.panelTitle}` })
  const list = h('div', {
    id: settings.unifiedList ? ID.participantsUnified : ID.participants,
    class: `${CLASS.participantsList} ${CLASS.virtualized}`,
    role: 'list',
    tabindex: 0,
    'aria-label': words(LABEL.participantsList),
  })
  const rows = new VirtualList(list, 'ReactVirtualized__Grid__innerScrollContainer')
  const root = box(
    'participants-section-container',
    box('panel-header', title, zmButton({ class: 'panel-close', 'aria-label': 'Close' }, onClose, '×')),
    list,
  )
  return {
    root,
    show(people) {
      title.textContent = words(TEXT.participantsTitle, people.length)
      rows.show(
        inOrder(people).map((person, index) => ({
          key: `${index}:${JSON.stringify({ ...person, speaking: false })}`,
          height: ROW_HEIGHT,
          make: () => row(person, index, words),
        })),
      )
    },
    close: () => rows.close(),
  }
}

/** Oneself first, then the host, co-hosts, all others. */
function inOrder(people: PagePerson[]): PagePerson[] {
  const rank = ({ isSelf, role }: PagePerson) => (isSelf ? 0 : role === 'host' ? 1 : role === 'cohost' ? 2 : 3)
  return [...people].sort((one, other) => rank(one) - rank(other))
}

/** The text in brackets after a name. */
function roleOf({ isSelf, role, isGuest }: PagePerson, words: Words): string {
  if (role === 'host') return words(isSelf ? TEXT.hostMe : TEXT.host)
  if (isSelf) return words(TEXT.me)
  if (role === 'cohost') return words(TEXT.cohost)
  return isGuest ? words(TEXT.guest) : ''
}

function audioOf({ audio, muted }: PagePerson): string {
  return audio === 'none' ? 'no audio connected' : `${audio} audio ${muted ? 'muted' : 'unmuted'}`
}

function row(person: PagePerson, index: number, words: Words): HTMLElement {
  const role = roleOf(person, words)
  const video = person.camera ? 'video on' : 'video off'
  // Guests may have a blank before the comma.
  const named = `${person.name}${role ? ` ${role}` : ''}${person.isGuest ? ' ' : ''}`
  const initials = [...person.name][0]?.toUpperCase() ?? '?'
  const audioIcon = person.audio === 'none' ? 'audio-none' : person.muted ? 'audio-muted' : 'audio-unmuted-1'
  const icon = (state: string) => h('i', { class: `${CLASS.lazyIcon} lazy-icon-icons/participants-list/${state}` })
  return box(
    CLASS.participantPosition,
    h(
      'div',
      {
        class: CLASS.participant,
        id: `participants-list-${index}`,
        role: 'listitem',
        tabindex: -1,
        'aria-label': `${named},${audioOf(person)},${video}`,
      },
      h(
        'div',
        { class: CLASS.participantAvatar, style: `background:hsl(${hashOf(String(person.node)) % 360} 45% 40%)` },
        initials,
      ),
      h('span', { class: CLASS.participantName }, person.name),
      role !== '' && h('span', { class: CLASS.participantLabel }, ` ${role}`),
      h('span', { class: 'participants-icons' }, icon(audioIcon), icon(person.camera ? 'video-on' : 'video-off')),
    ),
  )
}
