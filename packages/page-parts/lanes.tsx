/** A lane for each speaker and one cursor over all of them. All turns together are one tab stop of the keyboard. */
import { type Signal, useComputed } from '@preact/signals'
import { clock, gapText } from './clock.ts'
import type { Playback } from './playback.ts'
import { speakersOf, type Turn } from './speakers.ts'

const STEP_SECONDS = 5
const PAGE_SECONDS = 60

interface LanesParts {
  turns: readonly Turn[]
  gaps: readonly { at: number; seconds: number }[]
  /** Raised hands and reactions, each in the lane of its participant. */
  signs?: readonly { person: Turn['person'] | null; name: string; at: number | null; sign: string; text: string }[]
  /** Of the recording, in seconds. */
  length: number
  playback: Playback
}

export function Lanes({ turns, gaps, signs = [], length, playback: { at, seek } }: LanesParts) {
  const percent = (seconds: number) => `${Math.min(100, (100 * seconds) / length)}%`
  const now = useComputed(() => Math.floor(Math.min(at.value, length)))
  const position = useComputed(() => {
    const speaking = new Set(turns.filter(({ from, to }) => from <= at.value && at.value < to).map(({ name }) => name))
    return speaking.size === 0 ? clock(now.value) : `${clock(now.value)}, ${[...speaking].join(' and ')} speaking`
  })
  const speakers = speakersOf(turns)
  // A gap is shown even if no participant spoke.
  if (speakers.length === 0) speakers.push({ person: '', name: '', turns: [], seconds: 0 })

  const seekTo = ({ currentTarget, clientX }: { currentTarget: HTMLElement; clientX: number }) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    seek((length * (clientX - left)) / width)
  }
  const keys: Record<string, () => number> = {
    ArrowLeft: () => at.value - STEP_SECONDS,
    ArrowDown: () => at.value - STEP_SECONDS,
    ArrowRight: () => at.value + STEP_SECONDS,
    ArrowUp: () => at.value + STEP_SECONDS,
    PageDown: () => at.value - PAGE_SECONDS,
    PageUp: () => at.value + PAGE_SECONDS,
    Home: () => 0,
    End: () => length,
  }
  return (
    <div class="lanes">
      <div class="names" aria-hidden="true">
        {speakers.map(({ person, name }) => (
          <div key={person} title={name}>
            <bdi>{name}</bdi>
          </div>
        ))}
      </div>
      <div
        class="tracks"
        role="slider"
        tabIndex={0}
        aria-label="Position in the recording"
        aria-valuemin={0}
        aria-valuemax={Math.floor(length)}
        aria-valuenow={now}
        aria-valuetext={position}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          seekTo(event)
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event)
        }}
        onKeyDown={(event) => {
          const target = keys[event.key]
          if (target === undefined) return
          event.preventDefault()
          seek(target())
        }}
      >
        {speakers.map(({ person, name, turns: own }, index) => (
          <div key={person} class="lane" style={{ '--hue': hueOf(index) }}>
            {own.map(({ from, to }, place) => (
              <div
                key={place}
                class="turn"
                title={`${name}, ${clock(from)}`}
                style={{ left: percent(from), width: percent(Math.max(to - from, length / 2000)) }}
              />
            ))}
            {signs.map(
              (sign, place) =>
                sign.person === person &&
                sign.at !== null &&
                sign.sign !== '' && (
                  <span
                    key={place}
                    class="sign"
                    title={`${name} ${sign.text}, ${clock(sign.at)}`}
                    style={{ left: percent(sign.at) }}
                  >
                    {sign.sign}
                  </span>
                ),
            )}
          </div>
        ))}
        {gaps.map((gap, place) => (
          <div key={place} class="gap" title={gapText(gap)} style={{ left: percent(gap.at) }} />
        ))}
        <Cursor at={at} percent={percent} />
      </div>
    </div>
  )
}

/** Rendered at each step of the player, without the lanes. */
function Cursor({ at, percent }: { at: Signal<number>; percent: (seconds: number) => string }) {
  return <div class="cursor" style={{ left: percent(at.value) }} />
}

/** The golden angle keeps neighbors apart, however many there are. */
function hueOf(index: number): number {
  return Math.round((index * 137.508 + 210) % 360)
}
