/** An agent in the meeting: what it hears, by the rules of `conversation.ts`, goes to its server, and its answers are played. */
import type { Transcript } from '@standin/wire/events.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { type MeetingEvent, OWN_ID } from '../../packages/core/meeting/meeting.ts'
import type { Agent, AgentMeeting, CaptureEnvironment, Clock, Mouth } from '../../packages/core/ports.ts'
import { restartLoop } from '../../packages/core/process/restart-loop.ts'
import { AnswerSound } from './answer-sound.ts'
import { callFinder } from './calls.ts'
import { AgentConnection } from './connection.ts'
import { type Act, Conversation, type Heard } from './conversation.ts'
import { deepgramAgent } from './deepgram.ts'
import { elevenLabsAgent } from './elevenlabs.ts'
import { ABOUT_LINES, Lines } from './lines.ts'
import { openAiRealtime } from './openai-realtime.ts'
import { RecentSound } from './recent-sound.ts'
import { callTool, describeTools, type ToolParts } from './tools.ts'
import type { AgentListener, AgentProvider, AgentSession } from './types.ts'

export { deepgramAgent, elevenLabsAgent, openAiRealtime }

const LOOK_EVERY_MS = 50
/** Of sound. The end of a question is as late as its last message. */
const MESSAGE_MS = 40
/** A sound process that exited is restarted after this. */
const HEAR_AGAIN_MS = 2_000
/** A server that begins no answer by then is left. */
const ANSWER_WITHIN_MS = 20_000
/** A question that no session could take by then is not asked any more. */
const QUESTION_WAITS_MS = 10_000
/** Notices about faults of the server; each kind once. */
const MAX_PROBLEMS = 20
const LEAVES_WITHIN_MS = 15_000

/** Captures the sound server until it is stopped or fails: mono sound, signed 16 bit little-endian, `messageMs` a message. */
type Capture = (
  environment: CaptureEnvironment,
  sampleRate: number,
  folder: string,
  listener: (message: Buffer) => void,
  messageMs: number,
) => Promise<{ ended: Promise<{ text: string }>; stop(): Promise<unknown> }>

export interface AgentOptions {
  provider: AgentProvider
  botName: string
  greeting: string | null
  isAlways: boolean
  hasWords: boolean
  /** The words are captions of the platform, which has the bot's voice too. */
  wordsHaveOwn: boolean
  wakePhrases: readonly string[]
  muteWords: readonly string[]
  limits: { spoken_seconds: number; session_seconds: number }
  tools: Omit<ToolParts, 'clock'>
  /** Of the provider's rate. */
  mouth: Mouth
  capture: Capture
  /** For what ffmpeg wants to write. */
  folder: string
  clock: Clock
  logger: Logger
  /** Sends a notice of one sentence to the bot's events. */
  notice(message: string): void
}

/** What the model is told before the caller's own words. */
export function instructionsFor(botName: string, instructions: string | null): string {
  const frame = [
    `You are ${JSON.stringify(botName)}, a participant of a meeting with several people, and you speak aloud: answer in few sentences.`,
    ABOUT_LINES,
  ]
  return [...frame, instructions ?? ''].join('\n\n').trim()
}

export function createAgent(options: AgentOptions): Agent {
  return new LiveAgent(options)
}

class LiveAgent implements Agent {
  readonly #options: AgentOptions
  readonly #over = new AbortController()
  readonly #conversation: Conversation
  readonly #lines = new Lines()
  readonly #sound: RecentSound
  readonly #answer: AnswerSound
  readonly #inTurn = inTurn(1)
  readonly #problems = new Set<string>()
  #connection: AgentConnection | null = null
  #meeting: AgentMeeting | null = null
  #startedAt = 0
  #hasGreeted = false
  /** Why it is silent for good. */
  #end: string | null = null
  /** A question that is complete and not asked, because there is no session. */
  #question: { who: string | null; text: string; at: number; earlyTo: number | null } | null = null
  /** What an answer does beside its sound, while its question may be taken back; null else. */
  #held: (() => void)[] | null = null
  /** Whose answer people hear. */
  #answeredBy: AgentSession | null = null
  /** Since when the server owes more of an answer. */
  #owedSince: number | null = null
  /** Tools that run. */
  #running = 0
  #leavesAt: number | null = null

  constructor(options: AgentOptions) {
    this.#options = options
    const { botName, wakePhrases, muteWords, isAlways, hasWords, mouth } = options
    const find = callFinder([botName, ...wakePhrases], muteWords)
    this.#conversation = new Conversation({ find, isAlways, hasWords, bySound: options.provider.hears })
    this.#sound = new RecentSound(options.provider.sampleRate, (sound) => this.#listen(sound))
    this.#answer = new AnswerSound(mouth, {
      onBegun: () => this.#take({ type: 'answer', is: 'begun' }),
      onDropped: () => this.hush(),
      onOver: () => this.#take({ type: 'answer', is: 'over' }),
    })
  }

  start(environment: CaptureEnvironment, meeting: AgentMeeting): void {
    if (this.#meeting !== null || this.#over.signal.aborted) return
    const { provider, capture, folder, clock, logger } = this.#options
    const { signal } = this.#over
    this.#meeting = meeting
    this.#startedAt = clock.now()
    this.#connect(meeting)
    const hear = (message: Buffer) => {
      if (!this.#isAwake) return
      this.#sound.add(message, clock.now())
      // It may be the end of a question that is asked early.
      if ((this.#question?.earlyTo ?? null) !== null) this.#later(async () => this.#ask())
    }
    if (provider.hears)
      void restartLoop({
        start: () => capture(environment, provider.sampleRate, folder, hear, MESSAGE_MS),
        ...{ retryMs: HEAR_AGAIN_MS, clock, signal },
        onBroken: (reason) => logger.warn('The sound for the agent broke off', { reason }),
      })
    const look = async () => {
      this.#look()
      return LOOK_EVERY_MS
    }
    const onError = (error: unknown) => logger.warn('The agent failed for a moment', { error })
    startLoop(look, { onError, afterErrorMs: LOOK_EVERY_MS, clock, signal })
  }

  onMeeting(event: MeetingEvent): void {
    if (event.type === 'speaking')
      this.#take({ type: 'speech', who: event.participantId, isSpeaking: event.isSpeaking, at: event.at })
    else if (event.type === 'voice')
      this.#take({ type: 'voice', who: event.participantId, isHeard: event.isHeard, at: event.at })
    else if (event.type === 'participant_left')
      this.#take({ type: 'speech', who: event.participantId, isSpeaking: false, at: event.at })
    // What was written to the bot alone is not for all ears.
    else if (event.type === 'chat_message' && !event.message.isOwn && !event.message.isDirect) {
      const { senderId: who, senderName, text } = event.message
      this.#lines.add('written_by', senderName, text)
      this.#take({ type: 'chat', who, text })
    } else if (event.type === 'muted_by_host') this.hush()
  }

  onWords({ speaker, text, is_final: isFinal, start }: Transcript): void {
    const who = speaker?.platform_id ?? null
    if (who === OWN_ID || (who === null && this.#options.wordsHaveOwn)) return
    const at = this.#meeting?.instantOf(start) ?? this.#now
    this.#take({ type: 'words', who, text, isFinal, at })
  }

  pause(): void {
    this.#sound.drop()
    this.#take({ type: 'pause', isPaused: true })
  }

  resume(): void {
    this.#take({ type: 'pause', isPaused: false })
  }

  hush(): void {
    this.#take({ type: 'hush' })
  }

  async setEnabled(isEnabled: boolean): Promise<void> {
    if (isEnabled && this.#end !== null) throw new Error(this.#end)
    this.#take({ type: 'switch', isOn: isEnabled })
    if (!isEnabled) this.#sound.drop()
    if (isEnabled && this.#connection === null && this.#meeting !== null) this.#connect(this.#meeting)
  }

  async close(): Promise<void> {
    this.#over.abort()
    await this.#connection?.close()
  }

  get #now(): number {
    return this.#options.clock.now()
  }

  get #session(): AgentSession | null {
    return this.#connection?.session ?? null
  }

  get #isAwake(): boolean {
    return this.#end === null && !this.#conversation.isSilenced
  }

  #take(heard: Heard): void {
    if (this.#over.signal.aborted || this.#end !== null) return
    for (const act of this.#conversation.take(heard, this.#now)) this.#do(act)
  }

  #do(act: Act): void {
    switch (act.do) {
      case 'listen':
        this.#sound.want(act.from, act.to)
        break
      case 'stop listening':
        this.#sound.stop(act.to)
        break
      case 'forget':
        this.#sound.done()
        this.#session?.forget()
        break
      case 'note':
        this.#lines.add('said_by', this.#nameOf(act.who), act.text, act.isHeard)
        break
      case 'ask':
        this.#held = act.earlyTo === null ? null : []
        this.#question = { who: act.who, text: act.text, at: this.#now, earlyTo: act.earlyTo }
        this.#later(async () => {
          if (act.earlyTo !== null) this.#answer.wait()
          this.#ask()
        })
        break
      case 'answer':
        for (const work of this.#held ?? []) work()
        this.#held = null
        this.#later(async () => this.#letAnswer())
        break
      case 'hold':
        this.#later(() => this.#answer.hold())
        break
      case 'resume':
        this.#later(async () => this.#answer.resume())
        break
      case 'cut':
        this.#question = null
        this.#held = null
        this.#later(() => this.#cut())
        break
    }
  }

  /** One after the other. A page that is gone, which cannot be silenced, is no fault of the bot. */
  #later(work: () => Promise<void>): void {
    const { logger } = this.#options
    this.#inTurn(work).catch((error) => logger.warn('An act of the agent failed', { error }))
  }

  #listen(sound: Buffer): boolean {
    const session = this.#session
    session?.listen(sound)
    return session !== null
  }

  async #cut(): Promise<void> {
    const heard = await this.#answer.cut()
    if (this.#answeredBy === this.#session) this.#session?.cut(heard)
    this.#owedSince = null
  }

  /** It was asked early, or is about to be. */
  #letAnswer(): void {
    if (this.#question !== null) {
      this.#question.earlyTo = null
      this.#ask()
    } else {
      this.#sound.done()
      // The silence behind it.
      this.#session?.forget()
    }
    this.#answer.resume()
  }

  /** Without a session the question waits for one; asked early it waits for its last sound. */
  #ask(): void {
    const session = this.#session
    const question = this.#question
    if (session === null || question === null) return
    const { earlyTo } = question
    if (earlyTo !== null && !this.#sound.hasAll(earlyTo)) return
    this.#question = null
    if (earlyTo === null) this.#sound.done()
    const lines = this.#lines.takeUnsent()
    if (lines !== null) session.note(lines)
    session.ask({ asker: this.#nameOf(question.who), text: question.text })
    this.#owe(session)
    this.#options.logger.debug('The agent is asked', { afterMs: this.#now - question.at })
  }

  #nameOf(who: string | null): string {
    return (who !== null && this.#meeting?.nameOf(who)) || 'Unknown'
  }

  #connect(meeting: AgentMeeting): void {
    const { provider, tools, clock, logger } = this.#options
    this.#connection = new AgentConnection({
      ...{ provider, clock, logger, tools: describeTools(tools.tools, meeting) },
      listener: this.#listener(),
      onOpen: (session) => this.#onOpen(session),
      onLost: () => {
        // What is there of an answer is said.
        if (this.#owedSince !== null) this.#endAnswer()
      },
      onProblem: (sentence, isForGood) => {
        this.#noteProblem(isForGood ? 'given_up' : 'lost', sentence)
        if (isForGood) this.#connection = null
      },
      isIdle: () => this.#conversation.isIdle,
    })
  }

  #onOpen(session: AgentSession): void {
    this.#lines.forgetSent()
    const { greeting } = this.#options
    const mayGreet = greeting !== null && !this.#hasGreeted && this.#isAwake && this.#question === null
    this.#hasGreeted = true
    if (mayGreet) {
      session.greet(greeting)
      this.#take({ type: 'greeting' })
      this.#owe(session)
    }
    this.#sound.again()
    this.#ask()
  }

  #listener(): Omit<AgentListener, 'onLost'> {
    return {
      onSound: (item, sound) => {
        this.#noteSign()
        this.#answer.add(item, sound)
      },
      onText: (text) => this.#onceMeant(() => this.#lines.add('you_said', '', text)),
      onAnswered: () => this.#endAnswer(),
      onToolCall: (call) => this.#onceMeant(() => void this.#callTool(call)),
      onProblem: (code, sentence) => this.#noteProblem(code, sentence),
    }
  }

  #onceMeant(work: () => void): void {
    if (this.#held === null) work()
    else this.#held.push(work)
  }

  async #callTool(call: Parameters<typeof callTool>[0]): Promise<void> {
    const { tools, clock, logger } = this.#options
    const session = this.#session
    const leaveWhenSilent = () => {
      this.#leavesAt = clock.now() + LEAVES_WITHIN_MS
    }
    this.#running++
    const result = await callTool(call, { ...tools, clock }, { ...this.#meeting!, leaveWhenSilent })
    this.#running--
    logger.info('The agent used a tool', { tool: call.name.slice(0, 64) })
    this.#noteSign()
    // One that is over would begin to wait for its answer.
    if (session === this.#session) session?.giveResult(call.id, result)
  }

  #owe(session: AgentSession): void {
    this.#answeredBy = session
    this.#owedSince = this.#now
  }

  #noteSign(): void {
    if (this.#owedSince !== null) this.#owedSince = this.#now
  }

  #endAnswer(): void {
    this.#owedSince = null
    this.#answer.complete()
  }

  #look(): void {
    const { limits } = this.#options
    const now = this.#now
    this.#take({ type: 'time', leftMs: this.#answer.leftMs })
    // A server waits for its tools, and one that keeps pace with the sound says after it that this was all.
    if (this.#running > 0 || this.#answer.waitingMs > 0) this.#noteSign()
    if (this.#question !== null && now - this.#question.at > QUESTION_WAITS_MS) {
      this.#question = null
      this.#take({ type: 'answer', is: 'lost' })
    }
    if (this.#owedSince !== null && now - this.#owedSince > ANSWER_WITHIN_MS)
      this.#connection?.renew(`gave no answer for ${ANSWER_WITHIN_MS / 1000} s`)
    if (this.#leavesAt !== null && (now >= this.#leavesAt || this.#conversation.isIdle)) {
      this.#leavesAt = null
      this.#meeting?.leave()
    }
    if (this.#answer.spokenSeconds >= limits.spoken_seconds) this.#finish('spoken_seconds', limits.spoken_seconds)
    else if (now - this.#startedAt >= limits.session_seconds * 1000)
      this.#finish('session_seconds', limits.session_seconds)
  }

  #finish(limit: string, seconds: number): void {
    if (this.#end !== null) return
    this.hush()
    this.#end = `The agent reached its limit ${limit} (${seconds} s) and is silent from now on.`
    this.#options.notice(this.#end)
    this.#later(async () => this.#connection?.close())
  }

  #noteProblem(code: string, sentence: string): void {
    if (this.#problems.has(code) || this.#problems.size >= MAX_PROBLEMS) return
    this.#problems.add(code)
    this.#options.notice(`The agent's server has a problem (${code.slice(0, 60)}): ${sentence.slice(0, 300)}`)
  }
}
