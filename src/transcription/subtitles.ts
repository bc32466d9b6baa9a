/** Utterances as WebVTT and SRT. Names and words are escaped: they cannot become markup or end a cue. Pure. */
import type { Utterance } from './types.ts'

/** Two lines of a subtitle; longer utterances become several cues. */
const CUE_CHARACTERS = 84
/** No cue is shorter, so that it can be seen. Seconds. */
const MIN_CUE_SECONDS = 0.1
/** A cue without a length stays so long, or until the next one. Seconds. */
const USUAL_CUE_SECONDS = 0.7

interface Cue {
  start: number
  end: number
  speaker: string
  text: string
}

export function webVtt(utterances: readonly Utterance[]): string {
  const cues = cuesOf(utterances).map(
    ({ start, end, speaker, text }) =>
      `${time(start, '.')} --> ${time(end, '.')}\n<v ${escaped(speaker)}>${escaped(text)}\n`,
  )
  return ['WEBVTT\n', ...cues].join('\n')
}

export function subRip(utterances: readonly Utterance[]): string {
  return cuesOf(utterances)
    .map(
      ({ start, end, speaker, text }, index) =>
        `${index + 1}\n${time(start, ',')} --> ${time(end, ',')}\n${oneLine(speaker)}: ${oneLine(text)}\n`,
    )
    .join('\n')
}

function cuesOf(utterances: readonly Utterance[]): Cue[] {
  const cues = piecesOf(utterances)
  return cues.map((cue, index) => {
    const { start, end } = cue
    const next = cues[index + 1]?.start ?? Number.POSITIVE_INFINITY
    if (end - start >= MIN_CUE_SECONDS) return cue
    return { ...cue, end: Math.max(start + MIN_CUE_SECONDS, Math.min(start + USUAL_CUE_SECONDS, next)) }
  })
}

function piecesOf(utterances: readonly Utterance[]): Cue[] {
  return utterances.flatMap(({ speaker, words, text, start, end }) => {
    if (text.length <= CUE_CHARACTERS) return [{ start, end, speaker, text }]
    const cues: Cue[] = []
    let at = 0
    for (const word of words) {
      const last = cues.at(-1)
      const piece = word.word.trim()
      // Not all scripts have blanks between words; the text of the utterance has those that there are.
      const place = text.indexOf(piece, at)
      const isGlued = place > 0 && !/\s/.test(text[place - 1]!)
      if (place >= 0) at = place + piece.length
      if (last && last.text.length + piece.length < CUE_CHARACTERS) {
        last.text += isGlued ? piece : ` ${piece}`
        last.end = word.end
      } else cues.push({ start: word.start, end: word.end, speaker, text: piece })
    }
    return cues
  })
}

function escaped(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An empty line ends a cue, and an arrow begins its times. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('-->', '→').trim()
}

function time(seconds: number, point: string): string {
  const milliseconds = Math.round(Math.max(0, seconds) * 1000)
  const part = (divisor: number, modulo: number, width = 2) =>
    String(Math.floor(milliseconds / divisor) % modulo).padStart(width, '0')
  const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, '0')
  return `${hours}:${part(60_000, 60)}:${part(1000, 60)}${point}${part(1, 1000, 3)}`
}
