/** Who was there and how long each spoke, and the figures of the recording itself. */
import { clockTime } from './clock-time.ts'
import type { ReportData } from './data.ts'
import { element } from './dom.ts'
import { shareOf, speakersOf } from './speakers.ts'

export function showPeople(data: ReportData): void {
  const table = document.querySelector('#people tbody')
  const spoken = new Map(speakersOf(data.turns).map(({ id, seconds }) => [id, seconds]))
  const all = [...spoken.values()].reduce((sum, seconds) => sum + seconds, 0)
  const people = data.people.toSorted((one, other) => (spoken.get(other.id) ?? 0) - (spoken.get(one.id) ?? 0))
  for (const { id, name, isHost, voice, visits } of people) {
    const seconds = spoken.get(id) ?? 0
    table?.append(
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, name, isHost ? ' (host)' : ''),
        element('td', {}, clockTime(seconds), ...(voice === null ? [] : [' ', voiceLink(voice, name)])),
        element('td', {}, shareOf(seconds, all)),
        element(
          'td',
          {},
          visits.map(({ from, to }) => `${clockTime(from ?? 0)} – ${clockTime(to ?? data.seconds)}`).join(', '),
        ),
      ),
    )
  }
  if (people.length === 0)
    table?.append(element('tr', {}, element('td', { colspan: '4' }, 'No other participant was there.')))
  const figures = document.querySelector('#quality')
  for (const [what, value] of data.quality) figures?.append(element('dt', {}, what), element('dd', {}, value))
}

function voiceLink(file: string, name: string): HTMLAnchorElement {
  return element('a', { href: file, 'aria-label': `The voice of ${name} alone` }, 'voice alone')
}
