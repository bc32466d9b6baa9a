/**
 * When an agent listens, answers and is silent: the rules, from what is heard to what is done. No clock, sound or network
 * is here; every instant is given, in UTC milliseconds.
 *
 * - Who says the bot's name has its ear, from the begin of that turn on and until 10 s are quiet. Each turn of that person
 *   is a question. What others say is context, unless every turn is a question (`always`).
 * - A question is answered as soon as its turn ends. If its words come later than its end, the answer waits for them only
 *   where they decide: the name is not known before.
 * - Where sound pauses is known before it is known that the turn ended. The server is asked then, and the answer is kept back until
 *   the end is certain; who goes on takes the question back. A turn is asked twice so at most, since each time costs.
 * - A person who speaks for half a second while the bot speaks silences it at once. Words prove that it was meant, and the
 *   rest is dropped; without words within 2 s of its end, the bot says the rest.
 * - A sound within a second of the begin or the end of an answer is a `yes` or `mhm`, and silences nothing.
 */
import type { Call } from './calls.ts'

/** Time without a turn of either side after which the bot's name has to be said again. */
const EAR_MS = 10_000
/** A shorter sound of a person interrupts nothing and asks nothing, unless it turns out to have words. */
const SHORTEST_MS = 500
/** From the begin, and before the end, of an answer. */
const BACKCHANNEL_MS = 1_000
/** A pause that ends a turn, as the drivers have it. */
const SILENCE_MS = 500
/** Pauses of one turn in which the server is asked. */
const MAX_EARLY = 2
/** An interruption without words by then was none. */
const FALSE_AFTER_MS = 2_000
/** A question is complete by then; the end of a turn may be missed. */
const LONGEST_MS = 120_000
/** A turn is forgotten when its sound is. */
export const TURN_KEPT_MS = 30_000
/** Words may begin by so much before the signal that a person speaks. */
const WORDS_EARLY_MS = 1_000

export type Heard =
  /** `at`: when it began or ended. */
  | { type: 'speech'; who: string; isSpeaking: boolean; at: number }
  /** Sound of a person begins, or pauses: sooner than `speech`, and not on all platforms. `at`: when. */
  | { type: 'voice'; who: string; isHeard: boolean; at: number }
  /** `at`: of the first word. `who` is null if the speaker is not known. */
  | { type: 'words'; who: string | null; text: string; isFinal: boolean; at: number }
  | { type: 'chat'; who: string | null; text: string }
  /** The answer's first sound is played; all of it was played, or it has none; the server lost it. */
  | { type: 'answer'; is: 'begun' | 'over' | 'lost' }
  /** `leftMs`: of the answer's sound that is not played; null while more may come. */
  | { type: 'time'; leftMs: number | null }
  /** The caller's switch; the recording's pause. */
  | { type: 'switch'; isOn: boolean }
  | { type: 'pause'; isPaused: boolean }
  /** The server was asked to say something that is no answer to a person. */
  | { type: 'greeting' }
  /** Its answer is unwanted, by a request or by a host who muted the bot. */
  | { type: 'hush' }

export type Act =
  /** Sound of the meeting goes to the server: from `from` to `to`, or until `stop listening`. */
  | { do: 'listen'; from: number; to: number | null }
  /** What the server heard is complete, up to `to`. */
  | { do: 'stop listening'; to: number }
  /** What the server heard since the last question was none. */
  | { do: 'forget' }
  /** `text`: what is known of its words. `earlyTo`: its turn may go on, and paused then; null if it ended. */
  | { do: 'ask'; who: string | null; text: string; earlyTo: number | null }
  /** The turn has ended of which the server was asked early. */
  | { do: 'answer' }
  /** What was said. `isHeard`: the server has its sound. */
  | { do: 'note'; who: string | null; text: string; isHeard: boolean }
  /** Silent at once; the rest of the answer is kept. */
  | { do: 'hold' }
  | { do: 'resume' }
  /** Silent at once; the rest of the answer is dropped, on the server too. */
  | { do: 'cut' }

interface Turn {
  who: string
  from: number
  to: number | null
  /** Since when its sound pauses, as far as that is known. */
  pausedAt: number | null
  /** How often the server was asked in a pause of it. */
  early: number
  /** Final words, and those behind them that may still change. */
  said: string
  text: string
  /** What the server has of it: nothing, its sound so far, its sound as a question, or nothing any more. */
  sound: 'unsent' | 'sent' | 'asked' | 'forgotten'
}

const NO_WORDS = { pausedAt: null, early: 0, said: '', text: '', sound: 'unsent' } as const

export interface Rules {
  find(text: string): Call | null
  /** Every turn is a question. */
  isAlways: boolean
  /** Questions are asked by their sound; else by their words, and none before its last word. */
  bySound: boolean
  /** Without live words nothing can prove or disprove an interruption. */
  hasWords: boolean
}

export class Conversation {
  readonly #rules: Rules
  /** Of the last half minute, in the order in which they began. */
  #turns: Turn[] = []
  /** Who has the bot's ear, and until when. */
  #ear: { who: string | null; until: number } | null = null
  #answer: 'none' | 'early' | 'asked' | 'spoken' | 'held' = 'none'
  #spokenSince = 0
  #heldSince = 0
  /** A question of the chat that waits for the end of an answer. */
  #chat: { who: string | null; text: string } | null = null
  #isMuted = false
  #isOff = false
  #isPaused = false
  #acts: Act[] = []

  constructor(rules: Rules) {
    this.#rules = rules
  }

  /** No question is under way, and no answer. */
  get isIdle(): boolean {
    return this.#answer === 'none' && !this.#turns.some(({ sound }) => sound === 'sent')
  }

  /** People have muted it, the caller has switched it off, or the recording is paused. */
  get isSilenced(): boolean {
    return this.#isMuted || this.#isOff || this.#isPaused
  }

  /** What is to be done now, in this order. */
  take(heard: Heard, now: number): Act[] {
    this.#acts = []
    this.#turns = this.#turns.filter(({ to }) => to === null || now - to < TURN_KEPT_MS)
    switch (heard.type) {
      case 'speech':
        if (heard.isSpeaking) this.#begin(heard.who, heard.at)
        else this.#end(heard.who, heard.at, now)
        break
      case 'voice':
        if (heard.isHeard) this.#begin(heard.who, heard.at)
        else this.#pause(heard.who, heard.at)
        break
      case 'words':
        this.#read(heard, now)
        break
      case 'chat':
        this.#readChat(heard, now)
        break
      case 'answer':
        this.#onAnswer(heard.is, now)
        break
      case 'time':
        this.#pass(now, heard.leftMs)
        break
      case 'switch':
        this.#isOff = !heard.isOn
        if (heard.isOn) this.#isMuted = false
        else this.#silence()
        break
      case 'pause':
        this.#isPaused = heard.isPaused
        if (heard.isPaused) this.#silence()
        break
      case 'greeting':
        this.#answer = 'asked'
        break
      case 'hush':
        this.#silence()
        break
    }
    return this.#acts
  }

  #begin(who: string, at: number): void {
    const open = this.#turns.find((turn) => turn.who === who && turn.to === null)
    // The slower signal, of what the voice showed before.
    if (this.#turns.some((turn) => turn.who === who && turn.pausedAt !== null && at < turn.pausedAt)) return
    if (open !== undefined) {
      if (open.pausedAt !== null && open.sound === 'sent' && this.#answer === 'early') this.#cut()
      open.pausedAt = null
      return
    }
    const turn: Turn = { ...NO_WORDS, who, from: at, to: null }
    this.#turns.push(turn)
    if (!this.isSilenced && (this.#rules.isAlways || this.#ear?.who === who)) this.#send(turn)
  }

  #pause(who: string, at: number): void {
    const turn = this.#turns.find((one) => one.who === who && one.to === null)
    if (turn === undefined) return
    turn.pausedAt = at
    const sent = this.#turns.filter(({ sound }) => sound === 'sent')
    const isOnlyOne = turn.sound === 'sent' && sent.every((one) => one === turn || one.to !== null)
    if (!isOnlyOne || turn.early === MAX_EARLY || !this.#rules.bySound) return
    if (this.#answer !== 'none' || this.#chat !== null || this.#isUnclear(turn, at)) return
    turn.early++
    this.#answer = 'early'
    this.#acts.push({ do: 'ask', who, text: this.#textOf(sent), earlyTo: at })
  }

  #end(who: string, at: number, now: number): void {
    const turn = this.#turns.find((one) => one.who === who && one.to === null && one.from <= at)
    if (turn === undefined) return
    turn.to = at
    if (turn.sound !== 'sent') return
    this.#renew(now)
    if (this.#isListening) {
      if (this.#answer === 'early') this.#cut()
      return
    }
    this.#acts.push({ do: 'stop listening', to: at })
    if (this.#answer === 'early') {
      for (const one of this.#turns) if (one.sound === 'sent') one.sound = 'asked'
      this.#answer = 'asked'
      this.#acts.push({ do: 'answer' })
      return
    }
    const isUnclear = this.#isUnclear(turn, at)
    if (this.#answer === 'spoken' || (isUnclear && !this.#rules.hasWords)) this.#forget()
    else if (!isUnclear) this.#ask(who)
  }

  /** Its words are on their way, and decide. */
  #isUnclear({ from, said, text }: Turn, to: number): boolean {
    const isNameAlone = this.#rules.find(`${said} ${text}`)?.isAlone ?? false
    const isUnread = !this.#rules.bySound && (said === '' || text !== '')
    return to - from < SHORTEST_MS || isNameAlone || isUnread || this.#answer === 'held'
  }

  #read({ who, text, isFinal, at }: Extract<Heard, { type: 'words' }>, now: number): void {
    // Words that grow come again, once it is seen who speaks.
    const turn = this.#turnOf(who, at) ?? (isFinal ? this.#unseen(who, at, now) : null)
    if (turn === null || text.trim() === '') return
    turn.text = isFinal ? '' : text
    if (isFinal) turn.said = `${turn.said} ${text}`.trim()
    const call = this.#rules.find(text)
    if (call !== null && call.kind !== 'question') {
      this.#mute(call.kind === 'mute')
      turn.sound = 'forgotten'
    } else if (call !== null && turn.sound !== 'asked' && !this.isSilenced) this.#lendEar(turn, now)
    const wasLoud = turn.from <= this.#heldSince && (turn.to ?? now) > this.#heldSince
    if (this.#answer === 'held' && wasLoud) this.#cut()
    const isHeard = turn.sound === 'sent' || turn.sound === 'asked'
    if (isFinal) this.#acts.push({ do: 'note', who: turn.who || null, text, isHeard })
    const isQuestion = turn.sound === 'sent' && !this.#isListening && this.#answer !== 'spoken'
    const isRead = isFinal || this.#rules.bySound
    if (isQuestion && isRead && !(call?.isAlone ?? false)) this.#ask(turn.who || null)
  }

  #readChat({ who, text }: Extract<Heard, { type: 'chat' }>, now: number): void {
    const call = this.#rules.find(text)
    if (call !== null && call.kind !== 'question') this.#mute(call.kind === 'mute')
    if (call?.kind !== 'question' || this.isSilenced) return
    this.#ear = { who, until: now + EAR_MS }
    if (this.#answer === 'none' && !this.#isListening) this.#ask(who, text)
    else this.#chat = { who, text }
  }

  #onAnswer(is: 'begun' | 'over' | 'lost', now: number): void {
    if (is === 'begun' && this.#answer === 'asked') {
      this.#answer = 'spoken'
      this.#spokenSince = now
    }
    if (is === 'begun' || this.#answer === 'none') return
    this.#answer = 'none'
    this.#renew(now)
    if (is === 'over' && this.#chat !== null && !this.#isListening) this.#ask(this.#chat.who, this.#chat.text)
  }

  #pass(now: number, leftMs: number | null): void {
    for (const { who, from, to, pausedAt, sound } of this.#turns) {
      if (to !== null) continue
      if (pausedAt !== null && now - pausedAt >= SILENCE_MS) this.#end(who, pausedAt, now)
      else if (sound === 'sent' && now - from >= LONGEST_MS) this.#end(who, now, now)
    }
    const speaking = this.#turns.filter(({ to, pausedAt }) => to === null && pausedAt === null)
    const lasts = (turn: Turn, since: number) => now - Math.max(turn.from, since) >= SHORTEST_MS
    switch (this.#answer) {
      case 'held': {
        const quietSince = Math.max(this.#heldSince, ...this.#turns.map(({ to, pausedAt }) => to ?? pausedAt ?? now))
        if (now - quietSince >= FALSE_AFTER_MS) this.#resume()
        else if (now - this.#heldSince >= EAR_MS) this.#cut()
        return
      }
      case 'spoken': {
        const loud = speaking.filter((turn) => lasts(turn, this.#spokenSince + BACKCHANNEL_MS))
        const isNearEnd = leftMs !== null && leftMs < BACKCHANNEL_MS
        if (loud.length > 0 && !isNearEnd) this.#interrupt(loud, now)
        return
      }
      case 'asked':
        // Who asked goes on: the question was not complete.
        if (speaking.some((turn) => turn.sound === 'sent' && lasts(turn, 0))) this.#cut()
        return
      case 'none':
        if (this.#ear !== null && now >= this.#ear.until) this.#closeEar(now)
    }
  }

  #interrupt(turns: readonly Turn[], now: number): void {
    if (!this.#rules.hasWords || turns.some(({ said, text }) => said !== '' || text !== '')) this.#cut()
    else {
      this.#answer = 'held'
      this.#heldSince = now
      this.#acts.push({ do: 'hold' })
    }
  }

  /** The turn called the bot: its sound is the question, from its begin on. */
  #lendEar(turn: Turn, now: number): void {
    this.#ear = { who: turn.who, until: now + EAR_MS }
    // Its name counts at any time, and however short.
    if (this.#answer === 'spoken') this.#cut()
    if (turn.sound !== 'sent') this.#send(turn)
  }

  #closeEar(now: number): void {
    if (this.#isListening) this.#renew(now)
    else {
      this.#ear = null
      this.#forget()
    }
  }

  /** Someone speaks whose sound the server gets. */
  get #isListening(): boolean {
    return this.#turns.some(({ sound, to }) => sound === 'sent' && to === null)
  }

  #renew(now: number): void {
    if (this.#ear !== null) this.#ear.until = now + EAR_MS
  }

  #send(turn: Turn): void {
    turn.sound = 'sent'
    this.#acts.push({ do: 'listen', from: turn.from, to: turn.to })
  }

  /** `written` of the chat; else the turns that the server has. */
  #ask(who: string | null, written = ''): void {
    if (this.#answer !== 'none') this.#cut()
    const turns = this.#turns.filter(({ sound, to }) => sound === 'sent' && to !== null)
    for (const turn of turns) turn.sound = 'asked'
    const text = this.#textOf(turns, written)
    this.#chat = null
    this.#answer = 'asked'
    this.#acts.push({ do: 'ask', who, text, earlyTo: null })
  }

  #textOf(turns: readonly Turn[], written = ''): string {
    const texts = [...turns.map(({ said, text }) => `${said} ${text}`.trim()), this.#chat?.text ?? '', written]
    return [...new Set(texts)].filter((text) => text !== '').join(' ')
  }

  #cut(): void {
    this.#answer = 'none'
    this.#acts.push({ do: 'cut' })
  }

  #resume(): void {
    this.#answer = 'spoken'
    this.#acts.push({ do: 'resume' })
    this.#forget()
  }

  /** Of all turns that ended. */
  #forget(): void {
    const ended = this.#turns.filter(({ sound, to }) => sound === 'sent' && to !== null)
    for (const turn of ended) turn.sound = 'forgotten'
    if (ended.length > 0) this.#acts.push({ do: 'forget' })
  }

  #mute(isMuted: boolean): void {
    this.#isMuted = isMuted
    if (isMuted) this.#silence()
  }

  #silence(): void {
    const sent = this.#turns.filter(({ sound }) => sound === 'sent')
    for (const turn of sent) turn.sound = 'forgotten'
    if (sent.some(({ to }) => to === null)) this.#acts.push({ do: 'stop listening', to: 0 })
    if (sent.length > 0) this.#acts.push({ do: 'forget' })
    if (this.#answer !== 'none') this.#cut()
    this.#ear = null
    this.#chat = null
  }

  #turnOf(who: string | null, at: number): Turn | undefined {
    return this.#turns.findLast((turn) => (who === null || turn.who === who) && turn.from <= at + WORDS_EARLY_MS)
  }

  /** Words of a person whom no signal showed speaking. */
  #unseen(who: string | null, at: number, now: number): Turn {
    const turn: Turn = { ...NO_WORDS, who: who ?? '', from: at, to: now }
    this.#turns.push(turn)
    return turn
  }
}
