/** A lane for each speaker and one cursor over all of them. All turns together are one tab stop of the keyboard. */
import { useComputed } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Parts } from '../../api.ts'
import { clock } from '../../parts/format.ts'
import { TEXTS } from '../../texts.ts'
import type { Playback } from './playback.ts'
import type { Turn } from './turns.ts'

const STEP_SECONDS = 5
const PAGE_SECONDS = 60
/** Colors of the stylesheet. */
const HUES = 6

interface LanesParts {
  turns: readonly Turn[]
  gaps: Parts['gaps']
  length: number
  playback: Playback
}

export function Lanes({ turns, gaps, length, playback }: LanesParts) {
  const tracks = useRef<HTMLDivElement>(null)
  const { at, seek } = playback
  const names = [...new Set(turns.map(({ name }) => name))]
  const thin = length / 400
  const cursor = useComputed(() => Math.min(at.value, length) - thin / 2)
  const now = useComputed(() => Math.floor(Math.min(at.value, length)))
  const speaking = useComputed(() => {
    const seconds = now.value
    const who = turns.filter(({ from, to }) => from <= seconds + 1 && seconds < to).map(({ name }) => name)
    return TEXTS.bot.speaking(clock(seconds), [...new Set(who)])
  })
  if (names.length === 0 && gaps.length === 0) return null

  const seekTo = ({ clientX }: PointerEvent) => {
    const { left, width } = tracks.current!.getBoundingClientRect()
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
    <section class="lanes" aria-label={TEXTS.bot.speakers}>
      <div class="names" aria-hidden="true">
        {(names.length === 0 ? [''] : names).map((name) => (
          <div key={name} title={name}>
            <bdi>{name}</bdi>
          </div>
        ))}
      </div>
      <div
        ref={tracks}
        class="tracks"
        role="slider"
        tabIndex={0}
        aria-label={TEXTS.bot.place}
        aria-valuemin={0}
        aria-valuemax={Math.floor(length)}
        aria-valuenow={now}
        aria-valuetext={speaking}
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
        {(names.length === 0 ? [''] : names).map((name, index) => (
          <svg
            key={name}
            class={`hue-${index % HUES}`}
            viewBox={`0 0 ${length} 1`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {turns
              .filter((turn) => turn.name === name)
              .map(({ from, to }) => (
                <rect key={from} x={from} y={0} width={Math.max(to - from, thin / 2)} height={1}>
                  <title>{`${name}, ${clock(from)}`}</title>
                </rect>
              ))}
            {gaps.map(({ at: from, seconds }) => (
              <rect key={`gap ${from}`} class="gap" x={from - thin} y={0} width={thin * 2} height={1}>
                <title>{TEXTS.bot.gap(seconds, clock(from))}</title>
              </rect>
            ))}
            <rect class="cursor" x={cursor} y={0} width={thin} height={1} />
          </svg>
        ))}
      </div>
    </section>
  )
}
