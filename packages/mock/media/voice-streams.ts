import type { AudioProgram } from './encode.ts'
import { placeVoices } from './slots.ts'
import { AUDIO_FRAME_MS, isVoiced, SILENT_LEVEL } from './voices.ts'

export interface SpeakingTurn {
  personId: string
  /** UTC ms when the first packet with the voice was sent; a breath before it is left out. */
  startedAt: number
  /** UTC ms when the last packet with the voice was sent, likewise; null while the turn continues. */
  endedAt: number | null
}

/** 20 ms of sound for one stream. */
export interface AudioFrame {
  /** Set in a room with streams per person. */
  owner: string | null
  data: Buffer
  csrcs: readonly number[]
  /** RFC 6464: -dBov, 127 is silence. */
  level: number
  /** The first one after silence. */
  begins: boolean
}

/** The sound of a stream for 20 ms. */
interface Sound {
  frame: AudioProgram['frames'][number]
  people: readonly string[]
  /** Whether this one of them sounds just now, or takes breath. */
  isVoiced(personId: string): boolean
}

interface Voice {
  look: number
  audioCsrc: number
}

interface Speech {
  program: AudioProgram
  startFrame: number | null
  done: () => void
}

interface Stream {
  /** The one person whose voice it carries; null when it carries any speaker. */
  owner: string | null
  people: string[]
  playing: { program: AudioProgram; people: readonly string[] } | null
  lastCsrcs: readonly number[]
  /** Frames since the last sound. */
  idleFrames: number
}

/** A 20 ms Opus frame of digital silence. */
const SILENT_FRAME = Buffer.from([0xf8, 0xff, 0xfe])
/** After a turn this many frames of silence are sent, as encoders do, so that the sound ends cleanly. */
const TRAILING_FRAMES = 10
/** Later silence is only hinted at, one frame of these, as with Opus DTX (400 ms). */
const IDLE_EVERY_FRAMES = 20

function newStream(owner: string | null): Stream {
  return { owner, people: [], playing: null, lastCsrcs: [], idleFrames: TRAILING_FRAMES }
}

/** Decides, 20 ms at a time, what each audio stream of the room carries, and records the speaking turns. */
export class VoiceStreams {
  readonly turns: SpeakingTurn[] = []
  readonly #voiceOf: (personId: string) => Voice | undefined
  readonly #program: (looks: readonly number[], beep: boolean) => AudioProgram | undefined
  readonly #isPerPerson: boolean
  #streams: Stream[] = []
  readonly #speeches = new Map<string, Speech>()
  readonly #openTurns = new Map<string, { turn: SpeakingTurn; lastSentAt: number }>()
  readonly #onTurn: ((turn: SpeakingTurn) => void)[] = []
  #speakers: string[] = []

  /**
   * @param streams how many carry the loudest voices; `perPerson` gives each person a separate one
   * @param voiceOf the person's voice, or undefined when the person is gone
   * @param program the encoded voices together, or undefined while they are being encoded
   */
  constructor(
    streams: number | 'perPerson',
    voiceOf: (personId: string) => Voice | undefined,
    program: (looks: readonly number[], beep: boolean) => AudioProgram | undefined,
  ) {
    this.#voiceOf = voiceOf
    this.#program = program
    this.#isPerPerson = streams === 'perPerson'
    if (streams !== 'perPerson') this.#streams = Array.from({ length: streams }, () => newStream(null))
  }

  /** A person came, who may get a separate stream. */
  add(personId: string): void {
    if (this.#isPerPerson) this.#streams.push(newStream(personId))
  }

  remove(personId: string): void {
    this.stop(personId)
    if (this.#isPerPerson) this.#streams = this.#streams.filter(({ owner }) => owner !== personId)
  }

  start(personId: string): void {
    if (!this.#speakers.includes(personId)) this.#speakers.push(personId)
    this.#place()
  }

  stop(personId: string): void {
    this.#speakers = this.#speakers.filter((id) => id !== personId)
    this.#speeches.get(personId)?.done()
    this.#speeches.delete(personId)
    this.#place()
  }

  /** Speaks the program once instead of the person's looped voice. Resolves when it is over or was stopped. */
  speak(personId: string, program: AudioProgram): Promise<void> {
    this.stop(personId)
    return new Promise((done) => {
      this.#speeches.set(personId, { program, startFrame: null, done })
      this.start(personId)
    })
  }

  onTurn(listener: (turn: SpeakingTurn) => void): void {
    this.#onTurn.push(listener)
  }

  /**
   * The frames to send now, one per stream; null if nothing is sent.
   * @param number of the frame since the room began
   * @param utcMs the instant of sending
   */
  frames(number: number, beep: boolean, utcMs: number): (AudioFrame | null)[] {
    const heard = new Map<string, boolean>()
    const frames = this.#streams.map((stream, i) => this.#frame(stream, number, beep && i === 0, heard))
    this.#note(heard, utcMs)
    return frames
  }

  /** Ends all turns, for the closing of the room. */
  stopAll(): void {
    for (const id of [...this.#speakers]) this.stop(id)
    this.#note(new Map(), 0)
  }

  #place(): void {
    if (this.#isPerPerson) {
      for (const stream of this.#streams) stream.people = this.#speakers.filter((id) => id === stream.owner)
      return
    }
    placeVoices(
      this.#streams.map((stream) => stream.people),
      this.#speakers,
    ).forEach((people, i) => {
      this.#streams[i]!.people = people
    })
  }

  #frame(stream: Stream, number: number, beep: boolean, heard: Map<string, boolean>): AudioFrame | null {
    const sound = this.#speechFrame(stream, number) ?? this.#loopFrame(stream, number, beep)
    if (sound === null) {
      stream.idleFrames++
      const isTrailing = stream.idleFrames <= TRAILING_FRAMES
      if (!isTrailing && stream.idleFrames % IDLE_EVERY_FRAMES !== 0) return null
      return {
        owner: stream.owner,
        data: SILENT_FRAME,
        csrcs: isTrailing ? stream.lastCsrcs : [],
        level: SILENT_LEVEL,
        begins: false,
      }
    }
    for (const id of sound.people) heard.set(id, sound.isVoiced(id))
    const begins = stream.idleFrames > 0
    stream.idleFrames = 0
    // Contributing sources are for streams that several people share.
    stream.lastCsrcs =
      stream.owner === null
        ? sound.people.map((id) => this.#voiceOf(id)?.audioCsrc).filter((csrc) => csrc !== undefined)
        : []
    return { ...sound.frame, owner: stream.owner, csrcs: stream.lastCsrcs, begins }
  }

  #speechFrame(stream: Stream, number: number): Sound | null {
    const id = stream.people.findLast((person) => this.#speeches.has(person))
    const speech = id === undefined ? undefined : this.#speeches.get(id)
    if (id === undefined || speech === undefined) return null
    speech.startFrame ??= number
    const frame = speech.program.frames[number - speech.startFrame]
    if (frame) return { frame, people: [id], isVoiced: () => true }
    this.stop(id)
    return null
  }

  #loopFrame(stream: Stream, number: number, beep: boolean): Sound | null {
    const people = stream.people.filter((id) => this.#voiceOf(id) !== undefined)
    if (people.length === 0 && !beep) stream.playing = null
    else {
      // The mix does not depend on the order of its voices: one encoding serves all orders.
      const looks = people.map((id) => this.#voiceOf(id)!.look).sort((a, b) => a - b)
      const program = this.#program(looks, beep)
      if (program) stream.playing = { program, people }
      // Until the new mix is encoded the former one continues, unless a person in it has stopped.
      else if (!stream.playing?.people.every((id) => people.includes(id))) stream.playing = null
    }
    if (stream.playing === null) return null
    const { frames } = stream.playing.program
    const place = number % frames.length
    const seconds = ((place + 0.5) * AUDIO_FRAME_MS) / 1000
    return {
      frame: frames[place]!,
      people: stream.playing.people,
      isVoiced: (id) => isVoiced(this.#voiceOf(id)?.look ?? 0, seconds),
    }
  }

  /** A turn lasts from the first to the last sound. Silence before and after it does not count. */
  #note(heard: ReadonlyMap<string, boolean>, utcMs: number): void {
    for (const [personId, { turn, lastSentAt }] of this.#openTurns) {
      if (heard.has(personId)) continue
      this.#openTurns.delete(personId)
      turn.endedAt = lastSentAt
      for (const listener of this.#onTurn) listener(turn)
    }
    for (const [personId, isVoiced] of heard) {
      const open = this.#openTurns.get(personId)
      if (open && isVoiced) open.lastSentAt = utcMs
      if (open || !isVoiced) continue
      const turn = { personId, startedAt: utcMs, endedAt: null }
      this.#openTurns.set(personId, { turn, lastSentAt: utcMs })
      this.turns.push(turn)
      for (const listener of this.#onTurn) listener(turn)
    }
  }
}
