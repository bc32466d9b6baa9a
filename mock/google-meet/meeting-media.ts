/** A meeting's sound and pictures, and what follows from them: speaking marks, captions, the mix. */
import { MediaRoom, type SpeakingTurn } from '../media/room.ts'
import { CaptionWriter } from './caption-writer.ts'
import { MixedSound } from './mixed-sound.ts'
import type { People, Person } from './people.ts'
import { captionEvent } from './roster.ts'
import type { TruthRecord } from './truth-record.ts'
import type { Visit } from './visit.ts'

export class MeetingMedia {
  private readonly people: People
  private readonly truth: TruthRecord
  private readonly visit: () => Visit | null
  private readonly captions: CaptionWriter
  private readonly mixedSound: MixedSound
  private made: MediaRoom | null = null

  constructor(people: People, truth: TruthRecord, visit: () => Visit | null) {
    this.people = people
    this.truth = truth
    this.visit = visit
    this.captions = new CaptionWriter((caption) => this.onCaption(caption))
    this.mixedSound = new MixedSound((samples) => this.visit()?.sendSamples(samples))
  }

  /** Made when it is first needed: many meetings end before any sound or picture. */
  room(): MediaRoom {
    if (this.made) return this.made
    this.made = new MediaRoom()
    this.made.onTurn((turn) => this.onTurn(turn))
    for (const person of this.people.all()) this.addPerson(person)
    return this.made
  }

  get flashes(): readonly number[] {
    return this.made?.flashes ?? []
  }

  addPerson({ id, name, audioCsrc, camera, look, shareDevice }: Person): void {
    this.made?.addPerson({ id, name, audioCsrc, camera: camera === true, look })
    if (shareDevice !== null) this.made?.startSharing(id)
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

  /** A voice began or ended to be sent: that, not the wish for it, is what the page shows and the truth holds. */
  private onTurn({ personId, startedAt, endedAt }: SpeakingTurn): void {
    const person = this.people.find(personId)
    const name = person?.name ?? this.truth.presence.findLast((entry) => entry.personId === personId)?.name ?? ''
    this.truth.turn(personId, name, startedAt, endedAt)
    if (!person) return
    person.isSpeaking = endedAt === null
    const everybody = this.people.all()
    this.mixedSound.setSpeaking(everybody.filter(({ isSpeaking }) => isSpeaking).map(({ look }) => look))
    // One sound for a whole room: the page cannot know who of them it is.
    const shown = person.isMerged ? everybody.filter(({ isMerged }) => isMerged) : [person]
    for (const { device } of shown) this.visit()?.send({ do: 'speaking', device, speaking: person.isSpeaking })
    if (person.isSpeaking) this.captions.start(person)
    else this.captions.stop(person.id)
  }

  private onCaption(caption: { device: string; name: string; row: number; version: number; text: string }): void {
    const visit = this.visit()
    if (!visit?.captionsOn || !visit.isInCall) return
    visit.send({ do: 'caption', device: caption.device, name: caption.name, text: caption.text, row: caption.row })
    visit.media.captions?.send(captionEvent(caption))
  }
}
