/**
 * A file of sound for each person whose voice comes apart, on the recording's clock: second 10 of every file is second
 * 10 of the recording. Written while the meeting lasts, so that next to nothing is left to do at its end.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Person } from '@standin/wire/events.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { milliseconds } from '@standin/wire/time/written-time.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { ParticipantAudio, ParticipantTracks, RecordedFile } from '../../packages/core/ports.ts'
import { writeWholeFile } from '../../packages/core/process/atomic-file.ts'
import { ParticipantTrackFile } from './track-file.ts'

const FOLDER = 'audio'
/** So much later than in the page a voice reaches the recorder; docs/streaming.md has the command that measures it. */
const SOUND_OUTPUT_MS = 50
/** More people than a bot can see in any meeting; each costs an open file. */
const MAX_FILES = 500
const MAX_NAME_LENGTH = 40
/** Packets that wait for the recording's start, which may lie before them; a minute of five voices. */
const MAX_EARLY = 15_000

export interface VoiceTracksParts {
  /** The recording's own folder, which exists. */
  folder: string
  /** Seconds of the recording at a UTC instant in milliseconds; null while nothing is recorded. */
  offsetAt(at: number): number | null
  logger: Logger
}

export function createParticipantTracks({ folder, offsetAt, logger }: VoiceTracksParts): ParticipantTracks {
  const place = join(folder, FOLDER)
  const files = new Map<string, ParticipantTrackFile>()
  const names = new Set<string>()
  let isOver = false
  /** Null once something was recorded. */
  let early: ParticipantAudio[] | null = []

  function begin(participantId: string): ParticipantTrackFile | null {
    if (files.size >= MAX_FILES) return null
    if (files.size === 0) mkdirSync(place, { recursive: true, mode: 0o700 })
    const number = files.size + 1
    // Names are known at the end only: the platform may name a participant late, or rename one.
    const file = new ParticipantTrackFile(join(place, `voice-${number}.ogg`), number, logger)
    files.set(participantId, file)
    return file
  }

  function takeRecorded({ participantId, at, opus }: ParticipantAudio): void {
    const seconds = offsetAt(at + SOUND_OUTPUT_MS)
    if (seconds === null) return
    const file = files.get(participantId) ?? begin(participantId)
    file?.write(opus, seconds)
  }

  /** The recording may begin before the moment at which it is known to. */
  function takeEarly(): void {
    const waiting = early ?? []
    early = null
    for (const voice of waiting) takeRecorded(voice)
  }

  async function finishOne(participantId: string, file: ParticipantTrackFile, number: number, person: Person | null) {
    const usual = voiceFileName(person, number)
    // One participant may have had two ids, as after a restart of the browser.
    const name = names.has(usual) ? usual.replace(/\.ogg$/, `-${number}.ogg`) : usual
    names.add(name)
    const path = join(place, name)
    const done = await file.finish(path)
    if (done === null) return []
    const entry = {
      file: name,
      id: person?.id ?? null,
      name: person?.name ?? 'Unknown',
      platform_id: participantId,
      first_sound: milliseconds(file.firstSound ?? 0),
      sound_seconds: milliseconds(file.soundSeconds),
    }
    return [{ entry, recorded: { name: `${FOLDER}/${name}`, path, ...done } satisfies RecordedFile }]
  }

  return {
    write(voice) {
      if (isOver) return
      const hasStarted = offsetAt(voice.at + SOUND_OUTPUT_MS) !== null
      if (early !== null && !hasStarted) {
        early.push(voice)
        if (early.length > MAX_EARLY) early.shift()
        return
      }
      takeEarly()
      takeRecorded(voice)
    },
    async finish(personOf) {
      takeEarly()
      isOver = true
      const all = [...files].map(([id, file], index) => finishOne(id, file, index + 1, personOf(id)))
      const voices = (await Promise.all(all)).flat()
      if (voices.length === 0) return []
      const index = { name: `${FOLDER}/index.json`, path: join(place, 'index.json') }
      const text = `${jsonText(
        voices.map(({ entry }) => entry),
        2,
      )}\n`
      await writeWholeFile(index.path, text)
      return [...voices.map(({ recorded }) => recorded), { ...index, bytes: Buffer.byteLength(text) }]
    },
  }
}

/** Such as `003-ada-lovelace.ogg`: a participant may type any name, and a path must be safe. */
export function voiceFileName(person: Person | null, number: number): string {
  if (person === null) return `unknown-${number}.ogg`
  const plain = person.name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/^-+|-+$/g, '')
  return `${String(person.id).padStart(3, '0')}${plain === '' ? '' : `-${plain}`}.ogg`
}
