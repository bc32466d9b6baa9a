/** A meeting's sound and pictures, and what follows from them: who is marked as speaking, captions, the mix. */
import { MediaRoom, type MediaRoomOptions, type SpeakingTurn } from '../media/room.ts'
import { voiceSamples } from '../media/voices.ts'
import { type CaptionRow, CaptionWriter } from './caption-writer.ts'
import type { People, Person } from './people.ts'
import type { TruthRecord } from './truth-record.ts'

/** Hertz. The page's worklet expects it. */
const SAMPLE_RATE = 16_000
const SOURCE_RATE = 48_000
const CHUNK_MS = 40

class MixedSound {
  private readonly send: (samples: Uint8Array) => void
  private readonly loops = new Map<number, Float32Array>()
  private timer: NodeJS.Timeout | null = null
  private startedAt = 0
  private sentChunks = 0
  private looks: number[] = []

  constructor(send: (samples: Uint8Array) => void) {
    this.send = send
  }

  setSpeaking(looks: number[]): void {
    this.looks = looks
  }

  start(): void {
    if (this.timer) return
    this.startedAt = performance.now()
    this.sentChunks = 0
    this.timer = setInterval(() => {
      const due = Math.floor((performance.now() - this.startedAt) / CHUNK_MS)
      // A stall is skipped: sound that is late is of no use.
      if (due - this.sentChunks > 10) this.sentChunks = due - 1
      for (; this.sentChunks < due; this.sentChunks++) this.send(this.chunk(this.sentChunks))
    }, CHUNK_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  private chunk(number: number): Uint8Array {
    const length = (SAMPLE_RATE * CHUNK_MS) / 1000
    const samples = new Int16Array(length)
    for (const look of this.looks) {
      const loop = this.loop(look)
      for (let index = 0; index < length; index++) {
        const value = loop[((number * length + index) * (SOURCE_RATE / SAMPLE_RATE)) % loop.length] ?? 0
        samples[index] = Math.max(-32768, Math.min(32767, (samples[index] ?? 0) + Math.round(value * 32767)))
      }
    }
    return new Uint8Array(samples.buffer)
  }

  private loop(look: number): Float32Array {
    const known = this.loops.get(look)
    if (known) return known
    const made = voiceSamples([look], false)
    this.loops.set(look, made)
    return made
  }
}

export interface MeetingMediaPorts {
  /** The transmission of a person's voice began or ended; `isSpeaking` is set already. */
  onSpeaking(person: Person): void
  onCaption(caption: CaptionRow): void
  /** The mix, for a page that plays it itself. */
  onSamples(samples: Uint8Array): void
}

export class MeetingMedia {
  private readonly people: People
  private readonly truth: TruthRecord
  private readonly options: MediaRoomOptions
  private readonly ports: MeetingMediaPorts
  private readonly captions: CaptionWriter
  private readonly mixedSound: MixedSound
  private made: MediaRoom | null = null

  constructor(people: People, truth: TruthRecord, options: MediaRoomOptions, ports: MeetingMediaPorts) {
    this.people = people
    this.truth = truth
    this.options = options
    this.ports = ports
    this.captions = new CaptionWriter((caption) => ports.onCaption(caption))
    this.mixedSound = new MixedSound((samples) => ports.onSamples(samples))
  }

  /** Made when it is first needed: many meetings end before any sound or picture. */
  room(): MediaRoom {
    if (this.made) return this.made
    this.made = new MediaRoom(this.options)
    this.made.onTurn((turn) => this.onTurn(turn))
    for (const person of this.people.all()) this.addPerson(person)
    return this.made
  }

  get flashes(): readonly number[] {
    return this.made?.flashes ?? []
  }

  addPerson({ id, name, audioCsrc, camera, look, isSharing }: Person): void {
    this.made?.addPerson({ id, name, audioCsrc, camera: camera === true, look })
    if (isSharing) this.made?.startSharing(id)
  }

  removePerson(id: string): void {
    this.made?.removePerson(id)
    this.captions.stop(id)
  }

  setCamera(id: string, on: boolean): void {
    this.made?.setCamera(id, on)
  }

  stopSpeaking(id: string): void {
    this.made?.stopSpeaking(id)
  }

  stopSharing(id: string): void {
    this.made?.stopSharing(id)
  }

  /** Begins to send the mix to a page that plays it itself. */
  startMix(): void {
    this.mixedSound.start()
  }

  stopMix(): void {
    this.mixedSound.stop()
  }

  async close(): Promise<void> {
    this.captions.stopAll()
    this.mixedSound.stop()
    await this.made?.close()
  }

  /** The transmission of a voice began or ended. The page and the record show the transmission, not the request. */
  private onTurn({ personId, startedAt, endedAt }: SpeakingTurn): void {
    const person = this.people.find(personId)
    const name = person?.name ?? this.truth.presence.findLast((entry) => entry.personId === personId)?.name ?? ''
    this.truth.turn(personId, name, startedAt, endedAt)
    if (person) person.isSpeaking = endedAt === null
    // A person who left while speaking is removed from the mix as well.
    const speaking = this.people.all().filter(({ isSpeaking }) => isSpeaking)
    this.mixedSound.setSpeaking(speaking.map(({ look }) => look))
    if (!person) return
    this.ports.onSpeaking(person)
    if (person.isSpeaking) this.captions.start(person)
    else this.captions.stop(person.id)
  }
}
