/**
 * A live connection to a recognizer that learns from us where turns end, in the events of OpenAI's Realtime interface: sound is
 * appended, a commit ends a turn, deltas of its text come, then its whole text. The provider opens the session; sessions
 * that have a limit are replaced between two turns before they reach it. Source: OpenAI API reference, "Realtime".
 */
import { z } from 'zod'
import { ProviderError } from './providers/provider-error.ts'
import { spread } from './spread.ts'
import { type Heard, TurnCutter } from './turn-cutter.ts'
import type { LiveConnection, LiveListener, Word } from './types.ts'

/** One session at a recognizer. */
export interface RecognizerSession {
  /** UTC milliseconds at which it ends by itself. */
  readonly endsAt: number
  /** Whether a commit may name an earlier end, in `audio_end_ms` of the turn: what comes after it begins the next turn. */
  readonly endsEarlier?: boolean
  send(event: { type: string } & Record<string, unknown>): void
  /** Shows the recognizer that we are there. */
  ping(): void
  close(): void
}

export interface SessionListener {
  onEvent(event: unknown): void
  /** The session is over; called once at most. */
  onLost(reason: string): void
}

/** Resolves when the session takes sound. Rejects with a ProviderError. */
export type OpenSession = (listener: SessionListener, signal: AbortSignal) => Promise<RecognizerSession>

interface TurnOptions {
  sampleRate: number
  /** The language that the caller chose, if it is one. */
  language: string | null
  /** A recognizer that gives no text of an ended turn for so long has broken off. */
  patienceMs?: number
  now?: () => number
}

/** A turn with less voice is not cut where another person speaks. Seconds. */
const SHORTEST = 0.5
/** Sessions are replaced so long before their end, but not before nine tenths of their time. */
const MARGIN_MS = 5 * 60_000
const MARGIN_SHARE = 0.1
const PATIENCE_MS = 20_000
const OPEN_AGAIN_MS = 10_000
/** Of one turn, which lasts half a minute at most. */
const MAX_TEXT = 20_000
const MAX_WORDS = 2_000
/** Names of turns that are kept, so that what is said of them again is no other turn's. */
const MAX_KNOWN = 100

const text = z.string().max(MAX_TEXT)
const time = z.number().min(0).max(3600)
const item = { item_id: z.string().max(200) }
const TRANSCRIPTION = 'conversation.item.input_audio_transcription'
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_audio_buffer.committed'), ...item }),
  /** Of a server that knows voices from noise. */
  z.object({ type: z.literal('input_audio_buffer.speech_stopped'), ...item }),
  z.object({
    type: z.literal(`${TRANSCRIPTION}.delta`),
    ...item,
    delta: text,
    /** Local engines give it: the whole text so far, which may have changed. */
    text: text.optional(),
  }),
  z.object({
    type: z.literal(`${TRANSCRIPTION}.completed`),
    ...item,
    transcript: text,
    language: z.string().max(40).nullish().catch(null),
    /** Local engines give them: seconds of the turn. */
    words: z
      .array(z.object({ word: z.string().max(200), start: time, end: time }))
      .max(MAX_WORDS)
      .nullish()
      .catch(null),
  }),
  z.object({
    type: z.literal(`${TRANSCRIPTION}.failed`),
    ...item,
    error: z
      .looseObject({ code: z.string().nullish().catch(null) })
      .nullish()
      .catch(null),
  }),
  z.object({ type: z.literal('error'), error: z.looseObject({ code: z.string().nullish().catch(null) }) }),
])
type Completed = Extract<z.infer<typeof eventSchema>, { transcript: string }>

interface Turn {
  session: Session
  /** Seconds of this connection. */
  start: number
  end: number
  /** Where its voice is; the silence around it has no words. */
  voiceStart: number
  voiceEnd: number
  /** The recognizer's name of it, once known. */
  itemId: string | null
  isCommitted: boolean
  /** UTC milliseconds of the commit. */
  endedAt: number
  text: string
  done: { event: Completed | null; raw: unknown } | null
}

interface Session {
  recognizer: RecognizerSession
  /** The names of turns that are over, newest last. */
  known: string[]
  replacedFrom: number
}

export async function openTurns(
  open: OpenSession,
  options: TurnOptions,
  listener: LiveListener,
  signal: AbortSignal,
): Promise<LiveConnection & { readonly waiting: number }> {
  const connection = new TurnConnection(open, options, listener)
  await connection.open(signal)
  return connection
}

class TurnConnection implements LiveConnection {
  readonly #open: OpenSession
  readonly #options: TurnOptions
  readonly #listener: LiveListener
  readonly #now: () => number
  readonly #cutter: TurnCutter
  readonly #over = new AbortController()
  /** Ended ones, oldest first, and the open one behind them: those whose words are not reported as final yet. */
  readonly #turns: Turn[] = []
  readonly #sessions = new Set<Session>()
  #current: Session | null = null
  #next: Session | 'opening' | null = null
  #openAgainAt = 0
  #seconds = 0
  /** Called when no ended turn waits for its text any more. */
  #onAllDone: () => void = () => {}
  #isFinishing = false

  constructor(open: OpenSession, options: TurnOptions, listener: LiveListener) {
    this.#open = open
    this.#options = options
    this.#listener = listener
    this.#now = options.now ?? Date.now
    this.#cutter = new TurnCutter(options.sampleRate)
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#current = await this.#openSession(signal)
  }

  send(samples: Uint8Array): void {
    if (this.#over.signal.aborted) return
    const from = this.#seconds
    this.#seconds += samples.byteLength / 2 / this.#options.sampleRate
    if (!this.#cutter.isOpen) this.#mayReplace()
    const heard = this.#cutter.add(samples)
    if (heard.begins) this.#begin(heard.samples)
    const turn = this.#openTurn
    if (turn !== null && heard.samples.length > 0) this.#append(turn, heard, from)
    this.#checkTimes()
  }

  #append(turn: Turn, heard: Heard, from: number): void {
    for (const piece of heard.samples)
      turn.session.recognizer.send({ type: 'input_audio_buffer.append', audio: Buffer.from(piece).toString('base64') })
    turn.end = this.#seconds
    if (heard.isVoice) {
      turn.voiceStart = Math.min(turn.voiceStart, from)
      turn.voiceEnd = this.#seconds
    }
    if (heard.ends) this.#commit(turn)
  }

  /** It comes when another person was heard for a moment: a turn that has just begun is theirs. */
  cut(): void {
    const turn = this.#openTurn
    if (turn === null || this.#over.signal.aborted) return
    const rest = turn.session.recognizer.endsEarlier ? this.#cutter.sinceWeakest : 0
    const end = this.#seconds - rest
    if (end - turn.voiceStart < SHORTEST) return
    if (rest > 0) {
      const times = { start: end, end: turn.end, voiceStart: end, voiceEnd: turn.voiceEnd }
      Object.assign(turn, { end, voiceEnd: Math.min(turn.voiceEnd, end) })
      this.#turns.push({ ...turn, ...times, itemId: null, isCommitted: false, text: '' })
    }
    this.#cutter.end(rest)
    this.#commit(turn)
  }

  #endTurn(): void {
    const turn = this.#openTurn
    if (turn === null || !this.#cutter.mayEnd) return
    this.#cutter.end()
    this.#commit(turn)
  }

  keepAlive(): void {
    for (const { recognizer } of this.#sessions) recognizer.ping()
    this.#checkTimes()
  }

  async finish(limit: AbortSignal): Promise<boolean> {
    this.#isFinishing = true
    if (!this.#over.signal.aborted) this.#endTurn()
    // A turn that is shorter than allowed has no word.
    if (this.#cutter.isOpen) this.#turns.pop()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onAllDone = resolve
    if (this.#turns.length === 0) resolve()
    for (const end of [limit, this.#over.signal]) end.addEventListener('abort', () => resolve(), { once: true })
    if (!limit.aborted && !this.#over.signal.aborted) await promise
    this.close()
    return this.#turns.length === 0
  }

  close(): void {
    this.#over.abort()
    for (const { recognizer } of this.#sessions) recognizer.close()
    this.#sessions.clear()
  }

  /** Ended turns without their text. */
  get waiting(): number {
    return this.#turns.length - (this.#openTurn === null ? 0 : 1)
  }

  get #openTurn(): Turn | null {
    const last = this.#turns.at(-1)
    return last?.endedAt === Number.POSITIVE_INFINITY ? last : null
  }

  #begin(samples: readonly Uint8Array[]): void {
    const bytes = samples.reduce((sum, piece) => sum + piece.byteLength, 0)
    const start = Math.max(0, this.#seconds - bytes / 2 / this.#options.sampleRate)
    this.#turns.push({
      ...{ session: this.#current!, start, end: start, voiceStart: this.#seconds, voiceEnd: start },
      ...{ itemId: null, isCommitted: false, endedAt: Number.POSITIVE_INFINITY, text: '', done: null },
    })
  }

  #commit(turn: Turn): void {
    turn.endedAt = this.#now()
    const isEarlier = turn.end < this.#seconds
    const end = isEarlier && { audio_end_ms: Math.round((turn.end - turn.start) * 1000) }
    turn.session.recognizer.send({ type: 'input_audio_buffer.commit', ...end })
  }

  /** Leaves a recognizer that is late, and replaces a session that ends soon. */
  #checkTimes(): void {
    const { patienceMs = PATIENCE_MS } = this.#options
    if (this.#turns.some(({ endedAt, done }) => done === null && this.#now() - endedAt > patienceMs))
      this.#end(`gave no words for ${patienceMs / 1000} s`)
    const { replacedFrom, recognizer } = this.#current!
    if (this.#now() < replacedFrom || this.#over.signal.aborted) return
    if (this.#next === null && this.#now() >= this.#openAgainAt) void this.#openNext()
    // A speaker who makes no pause is cut when half of the margin is gone.
    if (this.#now() > (replacedFrom + recognizer.endsAt) / 2) this.#endTurn()
  }

  #mayReplace(): void {
    if (this.#next === null || this.#next === 'opening') return
    this.#current = this.#next
    this.#next = null
    this.#leaveUnused()
  }

  async #openNext(): Promise<void> {
    this.#next = 'opening'
    this.#openAgainAt = this.#now() + OPEN_AGAIN_MS
    this.#next = await this.#openSession(this.#over.signal).catch(() => null)
  }

  async #openSession(signal: AbortSignal): Promise<Session> {
    let session: Session | null = null
    let isLost = false
    const openedAt = this.#now()
    const recognizer = await this.#open(
      {
        onEvent: (event) => session !== null && this.#onEvent(session, event),
        onLost: (reason) => {
          isLost = true
          if (session !== null) this.#onLost(session, reason)
        },
      },
      AbortSignal.any([signal, this.#over.signal]),
    )
    if (isLost) throw new ProviderError('The session ended at once', { isTransient: true })
    const lifeMs = recognizer.endsAt - openedAt
    const replacedFrom = recognizer.endsAt - Math.min(MARGIN_MS, lifeMs * MARGIN_SHARE)
    session = { recognizer, known: [], replacedFrom }
    this.#sessions.add(session)
    if (this.#over.signal.aborted) this.close()
    return session
  }

  #onLost(session: Session, reason: string): void {
    this.#sessions.delete(session)
    if (this.#next === session) this.#next = null
    else if (session === this.#current || this.#turns.some((turn) => turn.session === session)) this.#end(reason)
  }

  #end(reason: string, isForGood = false): void {
    if (this.#over.signal.aborted) return
    this.close()
    if (!this.#isFinishing) this.#listener.lost(reason, isForGood)
  }

  #leaveUnused(): void {
    for (const session of this.#sessions) {
      const isUsed = session === this.#current || session === this.#next
      if (isUsed || this.#turns.some((turn) => turn.session === session)) continue
      this.#sessions.delete(session)
      session.recognizer.close()
    }
  }

  #onEvent(session: Session, raw: unknown): void {
    const parsed = eventSchema.safeParse(raw)
    if (!parsed.success || this.#over.signal.aborted) return
    const event = parsed.data
    if (event.type === 'error') this.#onError(session, event.error.code ?? null, raw)
    const turn = event.type === 'error' ? undefined : this.#turnOf(session, event)
    if (event.type === 'error' || turn === undefined || turn.done !== null) return
    // What is louder than the level of silence is noise.
    if (event.type === 'input_audio_buffer.speech_stopped') {
      if (turn === this.#openTurn) this.#endTurn()
      return
    }
    turn.itemId = event.item_id
    if (event.type === 'input_audio_buffer.committed') turn.isCommitted = true
    else if ('error' in event) this.#onFailed(event.error?.code ?? null)
    else if ('delta' in event) this.#grow(turn, event.text ?? turn.text + event.delta, raw)
    else if ('transcript' in event && turn.endedAt < Number.POSITIVE_INFINITY) {
      turn.done = { event, raw }
      this.#release()
    }
  }

  /** Other errors concern no turn, or its text does not come. */
  #onError(session: Session, code: string | null, raw: unknown): void {
    const first = this.#turns.find((turn) => turn.session === session && !turn.isCommitted)
    if (code !== 'input_audio_buffer_commit_empty' || first === undefined || first === this.#openTurn) return
    first.done = { event: null, raw }
    this.#release()
  }

  /** Commits are answered in order; text may come before that, of the oldest turn without a name. */
  #turnOf(session: Session, { type, item_id: id }: { type: string; item_id: string }): Turn | undefined {
    const ofSession = this.#turns.filter((turn) => turn.session === session)
    const named = ofSession.find(({ itemId }) => itemId === id)
    if (named !== undefined) return named
    if (session.known.includes(id)) return undefined
    const isCommit = type === 'input_audio_buffer.committed'
    return ofSession.find(({ itemId, endedAt }) => itemId === null && (!isCommit || endedAt < Number.POSITIVE_INFINITY))
  }

  /** The recognizer of this machine says so when more is spoken than it can follow; the same sound again would make it worse. */
  #onFailed(code: string | null): void {
    if (code === 'too_late') this.#end('speech is recognized more slowly here than it is spoken', true)
    else this.#end('could not recognize a piece of sound')
  }

  #grow(turn: Turn, text: string, raw: unknown): void {
    turn.text = text.slice(0, MAX_TEXT)
    const ahead = this.#turns.indexOf(turn)
    const words = spread(turn.text, turn.voiceStart, Math.max(turn.voiceStart, turn.voiceEnd))
    this.#listener.heard({ isFinal: false, words, language: this.#options.language, raw, ahead })
  }

  /** Turns are final in their order. */
  #release(): void {
    while (this.#turns[0]?.done) {
      const turn = this.#turns.shift()!
      const { event, raw } = turn.done!
      if (turn.itemId !== null) turn.session.known = [...turn.session.known, turn.itemId].slice(-MAX_KNOWN)
      const language = event?.language ?? this.#options.language
      this.#listener.heard({ isFinal: true, words: wordsOf(turn, event), language, raw, until: turn.end, ahead: 0 })
    }
    this.#leaveUnused()
    if (this.#turns.every(({ endedAt }) => endedAt === Number.POSITIVE_INFINITY)) this.#onAllDone()
  }
}

function wordsOf({ start, end, voiceStart, voiceEnd }: Turn, event: Completed | null): Word[] {
  if (event === null) return []
  if (!event.words?.length) return spread(event.transcript, voiceStart, Math.max(voiceStart, voiceEnd))
  const at = (seconds: number) => Math.min(start + seconds, end)
  return event.words.map(({ word, ...times }) => {
    return { word, start: at(times.start), end: Math.max(at(times.start), at(times.end)), confidence: null }
  })
}
