/** Everything that was said and written, in order. It can be searched, and a press on a line plays the recording from there. */
import { useSignal, useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { clock } from './clock.ts'
import { type Playback, SEARCH_ID } from './playback.ts'

export interface Line {
  /** Seconds from the start of the recording. */
  at: number
  /** Absent: until the next line begins. A line that ends when it begins is never marked as played. */
  until?: number
  name: string
  /** Follows the name, such as ` (chat)`. */
  note?: string
  text: string
  /** The text comes from the page and not from a participant, so it is not searched. */
  isOwnText?: boolean
  /** The words may still change. */
  isPartial?: boolean
  /** Shown below the text. `words` are searched too. */
  more?: { words: string; content: ComponentChildren }
}

interface LinesParts {
  lines: readonly Line[]
  /** Accessible name of the list. */
  label: string
  searchLabel: string
  /** Shown if there is no line. */
  empty: string
  playback: Playback
}

export function Lines({ lines, label, searchLabel, empty, playback }: LinesParts) {
  const search = useSignal('')
  const list = useRef<HTMLOListElement>(null)
  const word = search.value.trim().toLocaleLowerCase()
  const shown = lines.map((line, place) => ({ ...line, place })).filter((line) => wordsOf(line).includes(word))
  useMarkOfPlayed(list, shown, playback)
  if (lines.length === 0) return <p class="soft">{empty}</p>
  return (
    <>
      <label>
        {searchLabel}
        <input
          id={SEARCH_ID}
          type="search"
          autocomplete="off"
          value={search}
          onInput={(event) => {
            search.value = event.currentTarget.value
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && shown[0] !== undefined) playback.seek(shown[0].at, true)
            if (event.key === 'Escape') search.value = ''
          }}
        />
      </label>
      <p class="soft small-text found" role="status">
        {word !== '' && `${shown.length} of ${lines.length}`}
      </p>
      <ol ref={list} class="lines" aria-label={label}>
        {shown.map(({ at, name, note, text, isOwnText, isPartial, more, place }) => (
          <li key={place}>
            <button type="button" class="line" onClick={() => playback.seek(at, true)}>
              <time>{clock(at)}</time>
              <b>
                <bdi>{name}</bdi>
                {note}
              </b>{' '}
              <bdi class={isOwnText || isPartial ? 'soft' : undefined}>{isOwnText ? text : marked(text, word)}</bdi>
            </button>
            {more?.content}
          </li>
        ))}
      </ol>
    </>
  )
}

function wordsOf({ name, text, isOwnText, more }: Line): string {
  return [name, isOwnText ? '' : text, more?.words].join('\n').toLocaleLowerCase()
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
    const row = isAtStart ? undefined : box.children[placeOf(shown.current, seconds)]
    const before = box.querySelector('[aria-current]')
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
    ({ at, until }, place) => at <= seconds && seconds < (until ?? lines[place + 1]?.at ?? Number.POSITIVE_INFINITY),
  )
}

/** The text with each occurrence of `wanted` marked; `wanted` is in lower case. */
function marked(text: string, wanted: string): ComponentChildren {
  const lower = text.toLocaleLowerCase()
  // In some languages lower case has another length; places would be wrong then.
  if (wanted === '' || lower.length !== text.length) return text
  const parts: ComponentChildren[] = []
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>)
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}
