import { useSignal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type Bot, hasEnded, type Parts } from '../../api.ts'
import { clock } from '../../parts/format.ts'
import { Shown, useLoaded } from '../../parts/load.tsx'
import { TEXTS } from '../../texts.ts'
import { useEvents } from './live-events.ts'
import { marked } from './marked.tsx'
import type { Playback } from './playback.ts'

interface Line {
  speaker: string
  start: number
  /** Seconds; absent where it is not known. */
  end?: number
  text: string
}

interface TranscriptParts {
  bot: Bot
  parts: Parts
  playback: Playback
}

/** The finished transcript, or the captions while the meeting runs. */
export function Transcript({ bot, parts, playback }: TranscriptParts) {
  return bot.transcription === null ? (
    <Live bot={bot} parts={parts} playback={playback} />
  ) : (
    <Finished key={bot.bot_id} address={bot.transcription} playback={playback} />
  )
}

function Live({ bot, parts, playback }: TranscriptParts) {
  const events = useEvents(bot.bot_id, 'transcript', !hasEnded(bot))
  // Each attempt counts from its own start.
  const begins = new Map(parts.parts.map((part) => [part.attempt, part.begins]))
  const lines = events.value.map(({ attempt, data }) => {
    const begin = begins.get(attempt) ?? 0
    return {
      speaker: String((data.speaker as { name?: unknown } | null)?.name ?? TEXTS.bot.unknown),
      start: begin + Number(data.start ?? 0),
      ...(typeof data.end === 'number' && { end: begin + data.end }),
      text: String(data.text ?? ''),
    }
  })
  return <Lines lines={lines} playback={playback} />
}

function Finished({ address, playback }: { address: string; playback: Playback }) {
  // Each read of the bot signs new links; the file stays the same.
  const file = address.split('?', 1)[0]
  const lines = useLoaded(
    async () => {
      const response = await fetch(address)
      if (!response.ok) throw new Error(`${response.status}`)
      const { result } = (await response.json()) as { result?: { utterances?: Line[] } }
      return result?.utterances ?? []
    },
    undefined,
    [file],
  )
  return <Shown of={lines}>{(list) => <Lines lines={list} playback={playback} />}</Shown>
}

function Lines({ lines, playback }: { lines: readonly Line[]; playback: Playback }) {
  const wanted = useSignal('')
  const list = useRef<HTMLOListElement>(null)
  const word = wanted.value.toLocaleLowerCase()
  const shown = lines
    .map((line, place) => ({ ...line, place }))
    .filter(({ text, speaker }) => word === '' || `${speaker}\n${text}`.toLocaleLowerCase().includes(word))
  useMarkOfPlayed(list, shown, playback)
  if (lines.length === 0) return <p class="soft">{TEXTS.bot.noTranscript}</p>
  return (
    <>
      <label>
        {TEXTS.bot.search}
        <input
          id="transcript-search"
          type="search"
          value={wanted}
          onInput={(event) => (wanted.value = event.currentTarget.value.trim())}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && shown[0] !== undefined) playback.seek(shown[0].start, true)
            if (event.key !== 'Escape') return
            event.currentTarget.value = ''
            wanted.value = ''
          }}
        />
      </label>
      <p class="soft small-text" role="status">
        {word !== '' && TEXTS.bot.found(shown.length, lines.length)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
      <ol ref={list} class="lines" tabIndex={0} aria-label={TEXTS.bot.transcript}>
        {shown.map(({ speaker, start, text, place }) => (
          <li key={place}>
            <button type="button" class="line" onClick={() => playback.seek(start, true)}>
              <time>{clock(start)}</time>{' '}
              <b>
                <bdi>{speaker}</bdi>
              </b>{' '}
              <bdi>{marked(text, word)}</bdi>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}

/** Marks the line that is played and keeps it in view, without a new rendering for each step of the player. */
function useMarkOfPlayed(list: { current: HTMLOListElement | null }, lines: readonly Line[], playback: Playback): void {
  const shown = useRef(lines)
  shown.current = lines
  useSignalEffect(() => {
    const seconds = playback.at.value
    const box = list.current
    if (box === null) return
    const isAtStart = seconds === 0 && (playback.media.current?.paused ?? true)
    const place = isAtStart ? -1 : placeOf(shown.current, seconds)
    const before = box.querySelector('[aria-current]')
    const row = box.children[place]
    if (row === before || (row === undefined && before === null)) return
    before?.removeAttribute('aria-current')
    row?.setAttribute('aria-current', 'true')
    // Only the list scrolls, and not while a person reads or types in it.
    if (row instanceof HTMLElement && !box.matches(':hover, :focus-within'))
      box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 3
  })
}

/** The last line that has begun and not ended; -1 for none. */
function placeOf(lines: readonly Line[], seconds: number): number {
  return lines.findLastIndex(
    ({ start, end }, place) =>
      start <= seconds && seconds < (end ?? lines[place + 1]?.start ?? Number.POSITIVE_INFINITY),
  )
}
