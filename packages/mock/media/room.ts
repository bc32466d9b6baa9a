import { type AudioProgram, MediaEncoder, type VideoProgram } from './encode.ts'
import { initialsOf } from './glyphs.ts'
import { FLASH_INTERVAL_SECONDS, LOOKS, type PictureSpec } from './pictures.ts'
import { checked, type MediaRoomOptions } from './room-options.ts'
import type { RoomClock } from './rtp-sender.ts'
import { MediaSession } from './session.ts'
import type { SessionOptions } from './session-lines.ts'
import type { VideoSource } from './slots.ts'
import { type SpeakingTurn, VoiceStreams } from './voice-streams.ts'
import { AUDIO_FRAME_MS } from './voices.ts'

/** Encoded pictures and voices that a room can send at once, filled in the background as they are asked for. */
class ProgramStore {
  readonly #encoder: MediaEncoder
  readonly #pictures = new Map<string, VideoProgram | null>()
  readonly #voices = new Map<string, AudioProgram | null>()
  readonly #loading = new Set<Promise<void>>()
  #failure: unknown = null

  constructor(encoder: MediaEncoder) {
    this.#encoder = encoder
  }

  /** The pictures, or undefined while they are being encoded; asking begins that. */
  picture(spec: PictureSpec): VideoProgram | undefined {
    return this.#get(this.#pictures, JSON.stringify(spec), () => this.#encoder.picture(spec))
  }

  /** The voices of these looks together; undefined while they are being encoded. */
  voices(looks: readonly number[], beep: boolean): AudioProgram | undefined {
    return this.#get(this.#voices, JSON.stringify([looks, beep]), () => this.#encoder.voices(looks, beep))
  }

  /**
   * Resolves when everything asked for so far is encoded.
   * @throws Error of the first encoding that failed
   */
  async ready(): Promise<void> {
    while (this.#loading.size > 0) await Promise.all(this.#loading)
    if (this.#failure !== null) throw this.#failure
  }

  #get<T>(programs: Map<string, T | null>, key: string, load: () => Promise<T>): T | undefined {
    const known = programs.get(key)
    if (known !== undefined) return known ?? undefined
    programs.set(key, null)
    const loading = load()
      .then((program) => {
        programs.set(key, program)
      })
      // Kept for `ready`: this runs in the background, where no caller could catch the error.
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#loading.delete(loading))
    this.#loading.add(loading)
    return undefined
  }
}

export type { DataChannelLike } from './data-channel.ts'
export { lookColor } from './pictures.ts'

export { LOOPBACK, type MediaRoomOptions } from './room-options.ts'
export type { MediaSession } from './session.ts'
export type { SessionOptions } from './session-lines.ts'
export type { VideoSource } from './slots.ts'

export type { SpeakingTurn } from './voice-streams.ts'
export { BEEP_HZ, voiceFrequency } from './voices.ts'

export interface MediaPerson {
  id: string
  name: string
  /** Names the person in the RTP packets that carry the voice (32 bits, not 0). */
  audioCsrc: number
  camera: boolean
  /** 0 to 47: a distinct color, and a distinct voice (`voiceFrequency`). */
  look: number
}

/** After a pause longer than this (a stopped process, a starved machine) the lost time is skipped, not sent late. */
const MAX_CATCH_UP_MS = 400

/**
 * The media half of a mock meeting: people with distinct pictures and voices, sent to pages over real WebRTC as a
 * meeting server would, from media that was encoded beforehand, so that a room costs next to nothing.
 * All pictures, voices and sync marks follow one room clock.
 */
export class MediaRoom {
  readonly #people = new Map<string, MediaPerson & { isSharing: boolean }>()
  readonly #sessions = new Set<MediaSession>()
  readonly #encoder: MediaEncoder
  readonly #programs: ProgramStore
  readonly #voices: VoiceStreams
  readonly #size: { width: number; height: number; fps: number; layers: number; moves: boolean; stillScreens: boolean }
  readonly #loss: number
  readonly #address: string
  readonly #audioStreams: number | 'perPerson'
  readonly #clock: RoomClock = startClock()
  readonly #flashes: number[] = []
  /** Each call of `flashAndBeep` that switches it on; null while it is off. */
  #flash: object | null = null
  #isFlashing = false
  #nextAudioFrame = 0
  #nextVideoFrame = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(options: MediaRoomOptions = {}) {
    const { loss, audioStreams, address, ...size } = checked(options)
    this.#address = address
    this.#size = size
    this.#loss = loss
    this.#audioStreams = audioStreams
    this.#encoder = new MediaEncoder(options.cacheFolder)
    this.#programs = new ProgramStore(this.#encoder)
    this.#voices = new VoiceStreams(
      audioStreams,
      (id) => this.#people.get(id),
      (looks, beep) => this.#programs.voices(looks, beep),
    )
    this.#schedule()
  }

  /** The speaking turns, in the order of their beginning. */
  get turns(): readonly SpeakingTurn[] {
    return this.#voices.turns
  }

  /** The UTC instants (ms) at which a flash and a beep were sent. */
  get flashes(): readonly number[] {
    return this.#flashes
  }

  /** Called when a voice is first sent, and again (with `endedAt`) after it was last sent. */
  onTurn(listener: (turn: SpeakingTurn) => void): void {
    this.#voices.onTurn(listener)
  }

  /**
   * Resolves when all pictures and voices asked for so far are encoded and can be sent at once.
   * @throws Error when ffmpeg is missing or failed
   */
  async ready(): Promise<void> {
    await this.#programs.ready()
  }

  /** @throws RangeError when the person is not valid or the id is taken */
  addPerson(person: MediaPerson): void {
    if (person.id === '' || this.#people.has(person.id))
      throw new RangeError(`Person id "${person.id}" is empty or taken`)
    if (!Number.isInteger(person.look) || person.look < 0 || person.look >= LOOKS) {
      throw new RangeError(`The look of ${person.id} is an integer from 0 to ${LOOKS - 1}, not ${person.look}`)
    }
    if (!Number.isInteger(person.audioCsrc) || person.audioCsrc < 1 || person.audioCsrc >= 2 ** 32) {
      throw new RangeError(`The audioCsrc of ${person.id} is a 32-bit number above 0, not ${person.audioCsrc}`)
    }
    this.#people.set(person.id, { ...person, isSharing: false })
    this.#voices.add(person.id)
    this.#programs.voices([person.look], false)
    this.#update()
  }

  removePerson(id: string): void {
    this.#voices.remove(id)
    this.#people.delete(id)
    this.#update()
  }

  setCamera(id: string, on: boolean): void {
    this.#person(id).camera = on
    this.#update()
  }

  /** The person's voice is sent as soon as a stream is free. Repeatable; people may talk at once. */
  startSpeaking(id: string): void {
    this.#voices.start(this.#person(id).id)
  }

  stopSpeaking(id: string): void {
    this.#voices.stop(id)
  }

  /**
   * Lets the person speak a sound file (anything ffmpeg reads) once instead of the looped voice. With a single,
   * mixed stream it is heard alone. Resolves when it is over or was stopped.
   * @throws Error when the file cannot be read as sound
   */
  async playVoice(id: string, file: string): Promise<void> {
    const speech: AudioProgram = await this.#encoder.speech(file)
    await this.#voices.speak(this.#person(id).id, speech)
  }

  startSharing(id: string): void {
    this.#person(id).isSharing = true
    this.#update()
  }

  stopSharing(id: string): void {
    this.#person(id).isSharing = false
    this.#update()
  }

  /**
   * The sync source: at each whole 2 s of the room clock 100 ms of full white in every picture
   * and a 100 ms beep of 1 kHz on the first audio stream. It begins once all of it is encoded.
   */
  flashAndBeep(on: boolean): void {
    this.#isFlashing = false
    this.#flash = on ? {} : null
    if (!on) return
    const flash = this.#flash
    this.#programs.voices([], true)
    this.#update()
    this.ready().then(
      () => {
        // Another call may have come in between.
        if (this.#flash === flash) this.#isFlashing = true
      },
      // The caller receives the error from `ready`.
      () => {},
    )
  }

  /** A new connection for one page. */
  connect(options: SessionOptions = {}): MediaSession {
    if (this.#isClosed) throw new Error('The media room is closed')
    const session = new MediaSession(
      {
        clock: this.#clock,
        address: this.#address,
        loss: this.#loss,
        audioStreams: this.#audioStreams,
        people: () => [...this.#people.values()],
        videoSources: () => this.#videoSources(),
        videoProgram: (source, height) => this.#videoProgram(source, height),
        removeSession: (closed) => void this.#sessions.delete(closed),
      },
      options,
    )
    this.#sessions.add(session)
    return session
  }

  /** Closes all sessions. Repeatable. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#voices.stopAll()
    await Promise.all([...this.#sessions].map((session) => session.close()))
  }

  #person(id: string): MediaPerson & { isSharing: boolean } {
    const person = this.#people.get(id)
    if (!person) throw new RangeError(`No person in the media room has the id "${id}"`)
    return person
  }

  #update(): void {
    for (const source of this.#videoSources()) {
      for (const spec of this.#specs(source, false)) this.#programs.picture(spec)
      if (this.#flash) for (const spec of this.#specs(source, true)) this.#programs.picture(spec)
    }
    if (this.#flash) for (const { look } of this.#people.values()) this.#programs.voices([look], true)
    for (const session of this.#sessions) session.updateVideo()
  }

  #videoSources(): VideoSource[] {
    const people = [...this.#people.values()]
    return [
      ...people.filter(({ isSharing }) => isSharing).map(({ id }) => ({ personId: id, kind: 'screen' as const })),
      ...people.filter(({ camera }) => camera).map(({ id }) => ({ personId: id, kind: 'camera' as const })),
    ]
  }

  /** In the smallest size that is at least this high, else in the largest. */
  #videoProgram(source: VideoSource, height: number): VideoProgram | undefined {
    const isHighEnough = (spec: PictureSpec) => spec.height >= height
    const program = (flash: boolean) => {
      const specs = this.#specs(source, flash)
      return this.#programs.picture(specs.findLast(isHighEnough) ?? specs[0]!)
    }
    const flashing = this.#flash ? program(true) : undefined
    return (this.#isFlashing ? flashing : undefined) ?? program(false)
  }

  /** All sizes of a source, the largest first. */
  #specs(source: VideoSource, flash: boolean): PictureSpec[] {
    const { look, name } = this.#person(source.personId)
    const { width, height, fps, layers, moves, stillScreens } = this.#size
    const picture = { look, text: initialsOf(name), flash }
    if (source.kind === 'screen') {
      const rate = fps % 2 === 0 ? fps / 2 : fps
      const size = { width: width * 2, height: height * 2, fps: rate }
      return [{ ...picture, kind: 'screen', ...size, moves: false, ...(stillScreens && { isStill: true }) }]
    }
    return Array.from({ length: layers }, (_, layer) => {
      const size = { width: width / 2 ** layer, height: height / 2 ** layer }
      return { ...picture, kind: 'camera', ...size, fps, moves }
    })
  }

  /** One timer for everything: it wakes for the next frame due and sends all that is due by then. */
  #schedule(): void {
    const audioDue = this.#nextAudioFrame * AUDIO_FRAME_MS
    const videoDue = (this.#nextVideoFrame * 1000) / this.#size.fps
    this.#timer = setTimeout(
      () => {
        this.#sendDue()
        if (!this.#isClosed) this.#schedule()
      },
      Math.max(0, Math.min(audioDue, videoDue) - this.#clock.now()),
    )
    // A forgotten room does not keep a process alive.
    this.#timer.unref()
  }

  #sendDue(): void {
    const now = this.#clock.now()
    const audioFrame = Math.floor(now / AUDIO_FRAME_MS)
    if ((audioFrame - this.#nextAudioFrame) * AUDIO_FRAME_MS > MAX_CATCH_UP_MS) this.#nextAudioFrame = audioFrame
    for (; this.#nextAudioFrame <= audioFrame; this.#nextAudioFrame++) this.#sendAudio(this.#nextAudioFrame)
    const { fps } = this.#size
    const videoFrame = Math.floor((now * fps) / 1000)
    const hasGap = ((videoFrame - this.#nextVideoFrame) * 1000) / fps > MAX_CATCH_UP_MS
    if (hasGap) this.#nextVideoFrame = videoFrame
    for (let isFirst = true; this.#nextVideoFrame <= videoFrame; this.#nextVideoFrame++, isFirst = false) {
      const roomMs = (this.#nextVideoFrame * 1000) / fps
      for (const session of this.#sessions) session.sendVideo(this.#nextVideoFrame, fps, roomMs, hasGap && isFirst)
    }
  }

  #sendAudio(number: number): void {
    const roomMs = number * AUDIO_FRAME_MS
    const frames = this.#voices.frames(number, this.#isFlashing, this.#clock.utc(this.#clock.now()))
    frames.forEach((frame, stream) => {
      if (!frame) return
      for (const session of this.#sessions) session.sendAudio(stream, frame, roomMs)
    })
    if (this.#isFlashing && roomMs % (FLASH_INTERVAL_SECONDS * 1000) === 0) this.#flashes.push(this.#clock.utc(roomMs))
  }
}

function startClock(): RoomClock {
  const startedAt = performance.now()
  const startedUtc = Date.now()
  return {
    now: () => performance.now() - startedAt,
    utc: (roomMs) => startedUtc + roomMs,
  }
}
