/** People who share a microphone, told apart by their voices. Pure. */
import { inOneBreath, joined } from './speakers.ts'
import type { Utterance, Word } from './types.ts'

/** What a model says about a voice; it has any length, and only its direction counts. */
export type Print = Float32Array

/** Names those who speak in the sound of these utterances. Never rejects: then they stay as they are. */
export type TellApart = (sound: string, utterances: readonly Utterance[], signal: AbortSignal) => Promise<Utterance[]>

/** Between two people of one microphone. Seconds. */
const PAUSE = 0.3
const SENTENCE_END = /[.!?。！？…]$/
/** A shorter piece has too little of a voice, and goes with the piece before it. Seconds. */
export const SHORTEST = 1
/** Cosine of the angle between two prints of one voice, at least. Source: the examples of sherpa-onnx use 0.5 to 0.6. */
const ALIKE = 0.5
/** A voice speaks so long, and is this part of its microphone; what is less is a cough or an echo of another one. */
const LEAST = { seconds: 3, share: 0.05 }
/** Of one microphone; what is like none of them goes to the nearest. */
const MOST = 20
const VOICE = / \(voice \d+\)$/

/** The utterances in pieces that one voice speaks, in order of time. Those of unknown people have none. */
export function piecesOf(utterances: readonly Utterance[]): Utterance[] {
  return utterances
    .filter(({ userId }) => userId !== null)
    .toSorted((one, other) => one.start - other.start)
    .flatMap((utterance) => {
      const pieces: Word[][] = []
      for (const word of utterance.words) {
        const last = pieces.at(-1)?.at(-1)
        const continues = last && word.start - last.end < PAUSE && !SENTENCE_END.test(last.word)
        if (continues) pieces.at(-1)!.push(word)
        else pieces.push([word])
      }
      return pieces.map((words) => ({
        ...{ ...utterance, words, start: words[0]!.start, end: words.at(-1)!.end, text: joined(words) },
      }))
    })
}

/**
 * The utterances, in which a person with several voices is `Room (voice 1)`, `Room (voice 2)`, in the order in which they
 * speak first. `prints` has that of each piece, or null for one that is too short.
 */
export function toldApart(
  utterances: readonly Utterance[],
  pieces: readonly Utterance[],
  prints: readonly (Print | null)[],
): Utterance[] {
  const named = new Map<number | null, Utterance[]>()
  for (const [userId, places] of Map.groupBy(pieces.keys(), (place) => pieces[place]!.userId)) {
    const measured = places.filter((place) => prints[place] !== null)
    const voices = voicesOf(measured.map((place) => ({ print: prints[place]!, seconds: secondsOf(pieces[place]!) })))
    const numbers = [...new Set(voices)]
    if (numbers.length < 2) continue
    let voice = voices[0]!
    const own = places.map((place) => {
      voice = voices[measured.indexOf(place)] ?? voice
      const piece = pieces[place]!
      return { ...piece, speaker: `${piece.speaker.replace(VOICE, '')} (voice ${numbers.indexOf(voice) + 1})` }
    })
    named.set(userId, own)
  }
  const others = utterances.filter(({ userId }) => !named.has(userId))
  const apart = inOneBreath([...named.values()].flat())
  return [...others, ...apart].sort((one, other) => one.start - other.start)
}

const secondsOf = ({ start, end }: Utterance) => end - start

interface Measured {
  print: Print
  seconds: number
}

/** The voice of each, as a number of no meaning: first a rough sort, longest first, then each goes to the nearest of what is left. */
function voicesOf(measured: readonly Measured[]): number[] {
  let voices: Measured[] = []
  for (const one of measured.toSorted((a, b) => b.seconds - a.seconds)) {
    const nearest = nearestOf(voices, one)
    if (nearest && (voices.length === MOST || likeness(nearest, one) >= ALIKE)) add(nearest, one)
    else voices.push(add({ print: new Float32Array(one.print.length), seconds: 0 }, one))
  }
  voices = merged(voices)
  const whole = voices.reduce((sum, { seconds }) => sum + seconds, 0)
  const kept = voices.filter(({ seconds }) => seconds >= Math.max(LEAST.seconds, LEAST.share * whole))
  return measured.map((one) => kept.indexOf(nearestOf(kept, one)!))
}

/** The mean of a voice is nearer to its prints than they are to each other, so two voices may turn out to be one. */
function merged(voices: readonly Measured[]): Measured[] {
  const left: Measured[] = []
  for (const voice of voices) {
    const nearest = nearestOf(left, voice)
    if (nearest && likeness(nearest, voice) >= ALIKE) add(nearest, voice)
    else left.push(voice)
  }
  return left.length === voices.length ? left : merged(left)
}

function nearestOf(voices: readonly Measured[], one: Measured): Measured | undefined {
  let nearest: Measured | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const voice of voices) {
    const alike = likeness(voice, one)
    if (alike > most) [nearest, most] = [voice, alike]
  }
  return nearest
}

function likeness({ print: one }: Measured, { print: other }: Measured): number {
  return product(one, other) / (lengthOf(one) * lengthOf(other) || 1)
}

/** What is longer counts for more. */
function add(voice: Measured, { print, seconds }: Measured): Measured {
  const length = lengthOf(print) || 1
  for (const [index, value] of print.entries()) voice.print[index]! += (value / length) * seconds
  voice.seconds += seconds
  return voice
}

const lengthOf = (print: Print) => Math.sqrt(product(print, print))

function product(one: Print, other: Print): number {
  let sum = 0
  for (let index = 0; index < one.length; index++) sum += one[index]! * other[index]!
  return sum
}
