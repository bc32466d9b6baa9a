/** What the bot says on request: text by text, sentence by sentence, and which words of it people heard. */
import { MAX_SAY_LENGTH } from '@standin/wire/bot-fields.ts'
import type { BotCommand, Said } from '@standin/wire/commands.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import { milliseconds } from '@standin/wire/time/written-time.ts'
import type { MeetingEvent } from '../../packages/core/meeting/meeting.ts'
import type { Clock, Mouth, Voice } from '../../packages/core/ports.ts'

/** Characters of all texts that the bot has to say: their callers wait. */
const MAX_WAITING = 2 * MAX_SAY_LENGTH
/** A shorter sound of a person is none to stop for: a cough, a yes. */
const INTERRUPTS_AFTER_MS = 500
const LOOK_EVERY_MS = 50

type Request = Omit<Extract<BotCommand, { type: 'say' }>, 'type'>
type Outcome = Exclude<Said['outcome'], 'said'>

/** One text, until it is said or stopped. */
interface Text extends Request {
  stopped: Outcome | null
  readonly over: AbortController
  /** When its first sound was queued. UTC milliseconds; null before. */
  begunAt: number | null
}

export class Saying {
  readonly #parts: { voice: Voice; mouth: Mouth; clock: Clock }
  readonly #texts = new Set<Text>()
  readonly #inTurn = inTurn(1)
  /** People who speak now, with the times since when. */
  readonly #speaking = new Map<string, number>()
  #isClosed = false

  constructor(parts: { voice: Voice; mouth: Mouth; clock: Clock }) {
    this.#parts = parts
  }

  /** Resolves when the text was said or stopped. Rejects with a sentence if it cannot be said. */
  async say(request: Request): Promise<Said> {
    if (this.#isClosed) throw new Error('The bot leaves the meeting.')
    if (request.replace) await this.#stop('replaced')
    const waiting = [...this.#texts].reduce((sum, { text }) => sum + text.length, 0)
    if (waiting + request.text.length > MAX_WAITING)
      throw new Error(`The bot still has ${waiting} characters to say; wait for them, or replace them.`)
    const text: Text = { ...request, stopped: null, over: new AbortController(), begunAt: null }
    this.#texts.add(text)
    this.#parts.mouth.prepare()
    return this.#inTurn(() => this.#run(text)).finally(() => this.#texts.delete(text))
  }

  /** Stops all texts, those that wait too. */
  async stop(): Promise<void> {
    await this.#stop('stopped')
  }

  onMeeting(event: MeetingEvent): void {
    if (event.type === 'speaking' && event.isSpeaking) this.#speaking.set(event.participantId, event.at)
    else if (event.type === 'speaking' || event.type === 'participant_left') this.#speaking.delete(event.participantId)
    // A page that is gone needs no clearing.
    else if (event.type === 'muted_by_host') this.#stop('muted').catch(() => {})
  }

  /** Repeatable. What is being said is cut. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#stop('ended')
    this.#parts.voice.close()
  }

  async #stop(outcome: Outcome, isMeant: (text: Text) => boolean = () => true): Promise<void> {
    const texts = [...this.#texts].filter((text) => text.stopped === null && isMeant(text))
    for (const text of texts) {
      text.stopped = outcome
      text.over.abort()
    }
    // A text that waits has nothing in the microphone.
    if (texts.some(({ begunAt }) => begunAt !== null)) await this.#parts.mouth.clear()
  }

  async #run(text: Text): Promise<Said> {
    const { voice, mouth, clock } = this.#parts
    const { signal } = text.over
    const played: { sentence: string; seconds: number; heard: Promise<number> }[] = []
    const answer = async () =>
      saidOf(text, await Promise.all(played.map(async (one) => ({ ...one, heard: await one.heard }))))
    const watching = text.interrupt ? this.#watchPeople(text) : null
    try {
      for (const sentence of sentencesOf(text.text)) {
        const sound = await voice.speak(sentence, signal)
        if (text.stopped !== null) break
        text.begunAt ??= clock.now()
        const seconds = sound.byteLength / 2 / mouth.sampleRate
        played.push({ sentence, seconds, heard: mouth.play(sound) })
        // The next sentence is made while this one is played.
        const before = played.at(-2)
        if (before !== undefined && (await before.heard) < before.seconds) break
      }
      return await answer()
    } catch (error) {
      if (text.stopped !== null) return await answer()
      throw error
    } finally {
      text.over.abort()
      await watching
    }
  }

  async #watchPeople(text: Text): Promise<void> {
    const { clock } = this.#parts
    while (!text.over.signal.aborted) {
      const now = clock.now()
      const { begunAt } = text
      const isInterrupted = [...this.#speaking.values()].some(
        (at) => begunAt !== null && now - Math.max(at, begunAt) >= INTERRUPTS_AFTER_MS,
      )
      if (isInterrupted) await this.#stop('interrupted', ({ interrupt }) => interrupt)
      else await clock.sleep(LOOK_EVERY_MS, text.over.signal).catch(() => {})
    }
  }
}

function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    // A piece without a word, such as a lone full stop, belongs to its neighbour.
    const isOne = sentences.every((one) => wordsOf(one).length > 0) && wordsOf(segment).length > 0
    sentences.push(isOne ? segment : `${sentences.pop() ?? ''}${segment}`)
  }
  return sentences
}

/** Ends of the words in the text, in characters. */
function wordsOf(text: string): number[] {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)
  return [...segments].flatMap(({ index, segment, isWordLike }) => (isWordLike ? [index + segment.length] : []))
}

/** The words of a sentence share its time by their letters. A word counts if it was played to its end. */
function saidOf(text: Text, played: readonly { sentence: string; seconds: number; heard: number }[]): Said {
  let heardText = ''
  let heardWords = 0
  for (const { sentence, seconds, heard } of played) {
    const ends = wordsOf(sentence)
    const isWhole = heard >= seconds
    const heardEnds = isWhole ? ends : ends.filter((end) => end / sentence.length <= heard / seconds)
    heardWords += heardEnds.length
    heardText += isWhole ? sentence : sentence.slice(0, heardEnds.at(-1) ?? 0)
  }
  const heardSeconds = played.reduce((sum, { heard }) => sum + heard, 0)
  const isSaid = heardText.length === text.text.length
  return {
    outcome: isSaid ? 'said' : (text.stopped ?? 'ended'),
    heard_text: heardText.trim(),
    heard_words: heardWords,
    words: wordsOf(text.text).length,
    heard_seconds: milliseconds(heardSeconds),
  }
}
