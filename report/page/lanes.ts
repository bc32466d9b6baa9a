/** The timeline: a lane for each speaker, one cursor over all of them. One stop for the keyboard, however many turns. */
import { clockTime } from './clock-time.ts'
import type { ReportData } from './data.ts'
import { element, hueOf } from './dom.ts'
import { speakersOf } from './speakers.ts'

const STEP_SECONDS = 5
const PAGE_SECONDS = 60

/** Returns what moves the cursor. */
export function showLanes(data: ReportData, seek: (seconds: number) => void): (seconds: number) => void {
  const box = document.querySelector<HTMLElement>('#lanes')
  if (!box || data.turns.length === 0 || data.seconds <= 0) {
    box?.append(element('p', { class: 'empty' }, 'No participant was seen to speak.'))
    return () => {}
  }
  const percent = (seconds: number) => `${Math.min(100, (100 * seconds) / data.seconds)}%`
  const cursor = element('div', { class: 'cursor' })
  const names = element('div', { class: 'names', 'aria-hidden': 'true' })
  const tracks = element('div', {
    class: 'tracks',
    role: 'slider',
    tabindex: '0',
    'aria-label': 'Place in the recording',
    'aria-valuemin': '0',
    'aria-valuemax': String(Math.floor(data.seconds)),
  })
  for (const [index, { id, name, turns }] of speakersOf(data.turns).entries()) {
    names.append(element('div', { class: 'name', title: name }, name))
    const lane = element('div', { class: 'lane' })
    lane.style.setProperty('--hue', String(hueOf(index)))
    for (const { from, to } of turns) {
      const bar = element('div', { class: 'turn', title: `${name}, ${clockTime(from)}` })
      bar.style.left = percent(from)
      bar.style.width = percent(Math.max(to - from, data.seconds / 2000))
      lane.append(bar)
    }
    for (const { person, at, sign, text } of data.signs) {
      if (person !== id || at === null || sign === '') continue
      const mark = element('span', { class: 'sign', title: `${name} ${text}, ${clockTime(at)}` }, sign)
      mark.style.left = percent(at)
      lane.append(mark)
    }
    tracks.append(lane)
  }
  for (const { at, seconds } of data.gaps) {
    const mark = element('div', { class: 'gap', title: `${seconds.toFixed(1)} s of the meeting are missing here` })
    mark.style.left = percent(at)
    tracks.append(mark)
  }
  tracks.append(cursor)
  box.append(names, tracks)

  const at = (event: PointerEvent) => {
    const { left, width } = tracks.getBoundingClientRect()
    seek((data.seconds * (event.clientX - left)) / width)
  }
  tracks.addEventListener('pointerdown', (event) => {
    tracks.setPointerCapture(event.pointerId)
    at(event)
  })
  tracks.addEventListener('pointermove', (event) => {
    if (tracks.hasPointerCapture(event.pointerId)) at(event)
  })
  let now = 0
  const keys: Record<string, () => number> = {
    ArrowLeft: () => now - STEP_SECONDS,
    ArrowRight: () => now + STEP_SECONDS,
    ArrowDown: () => now - STEP_SECONDS,
    ArrowUp: () => now + STEP_SECONDS,
    PageDown: () => now - PAGE_SECONDS,
    PageUp: () => now + PAGE_SECONDS,
    Home: () => 0,
    End: () => data.seconds,
  }
  tracks.addEventListener('keydown', (event) => {
    const target = keys[event.key]
    if (!target) return
    event.preventDefault()
    seek(target())
  })

  return (seconds) => {
    now = seconds
    cursor.style.left = percent(seconds)
    const speaking = [
      ...new Set(data.turns.filter(({ from, to }) => from <= seconds && seconds < to).map(({ name }) => name)),
    ]
    tracks.setAttribute('aria-valuenow', String(Math.floor(seconds)))
    const who = speaking.length > 0 ? `, ${speaking.join(' and ')} speaking` : ''
    tracks.setAttribute('aria-valuetext', `${clockTime(seconds)}${who}`)
  }
}
