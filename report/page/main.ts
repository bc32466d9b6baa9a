/** Runs inside report.html: keeps lanes, list, search and player in sync. Names and messages only ever become text. */
import { clockTime } from './clock-time.ts'
import type { ReportData } from './data.ts'
import { element } from './dom.ts'
import { showLanes } from './lanes.ts'
import { showMoments } from './moments.ts'
import { showPeople } from './people.ts'
import { posterAt, showPoster } from './poster.ts'

const data = JSON.parse(document.querySelector('#data')?.textContent ?? '{}') as ReportData
const player = document.querySelector<HTMLMediaElement>('#player')

const poster = player instanceof HTMLVideoElement ? showPoster(player, posterAt(data)) : null

const seek = (seconds: number, play = false) => {
  if (!player) return
  poster?.end()
  const target = Math.max(0, Math.min(seconds, data.seconds))
  player.currentTime = target
  // The player reports its new position late; a second key press counts from here.
  for (const show of showTime) show(target)
  if (play) player.play().catch(() => {})
}

const head = document.querySelector('#about')
if (head) {
  const style = { dateStyle: 'full', timeStyle: 'short' } as const
  const began = data.startedAt === null ? '' : new Date(data.startedAt).toLocaleString(undefined, style)
  head.append(
    element('h1', {}, data.meeting),
    element('p', { class: 'facts' }, [began, clockTime(data.seconds), data.end].filter(Boolean).join(' · ')),
  )
  document.title = `${data.meeting} – ${began || 'recording'}`
}
const showTime = [showLanes(data, seek), showMoments(data, seek)]
showPeople(data)

player?.addEventListener('timeupdate', () => {
  if (poster?.isShown) return
  for (const show of showTime) show(player.currentTime)
})
for (const show of showTime) show(0)

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key === '/' && !isTyping) {
    event.preventDefault()
    document.querySelector<HTMLInputElement>('#search')?.focus()
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLMediaElement) return
  if (event.key === 'k' && player) player.paused ? void player.play().catch(() => {}) : player.pause()
  const now = poster?.isShown ? 0 : (player?.currentTime ?? 0)
  if (event.key === 'j') seek(now - 10)
  if (event.key === 'l') seek(now + 10)
})
