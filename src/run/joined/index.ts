/** One recording from the parts of a bot that crashed in its meeting and was resumed. docs/artifacts.md lists the files. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type NumberedEvent, numberedEventSchema } from '@standin/wire/events.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { milliseconds, utc } from '@standin/wire/time/written-time.ts'
import type { TakePicture, WriteReport } from '../../../packages/core/ports.ts'
import { writeWholeFile } from '../../../packages/core/process/atomic-file.ts'
import type { StoredFile } from '../../../packages/core/recording.ts'
import { filesBeside, writeFilesAboutPeople, writeJson } from '../artifacts.ts'
import { contentTypeOf } from '../delivery.ts'
import { makePoster, posterAt } from '../poster.ts'
import { pausesOf } from '../recording-clock.ts'
import { joinEvents } from './events.ts'
import { allGaps, gapsBetween } from './gaps.ts'
import { factsOfPart, type PartFacts } from './part.ts'
import { joinPeople } from './people.ts'

/** Media of a recording, each of which has its own parts. */
const MEDIA = ['video.mp4', 'audio.m4a'] as const

/** The files of one part, on this machine. */
export interface Part {
  /** Path of a stored file; null if the part has none of this name. */
  file(name: string): Promise<string | null>
}

/** A part's transcript, with what is needed to put it into the whole. */
interface PartOfTranscript {
  document: unknown
  raw: unknown
  events: readonly NumberedEvent[]
  base: number
  seconds: number
  numberOf(id: number | null): number | null
}

export interface JoinParts {
  botId: string
  /** In order of time; each of them has media. */
  parts: readonly Part[]
  /** UTC milliseconds at which the recording began, where the first part may be lost. */
  beganAt: number | null
  /** For the new files; exists and is empty. */
  workFolder: string
  store(file: { name: string; path: string; contentType: string }): Promise<StoredFile>
  mediaSeconds(file: string): Promise<number>
  joinFiles(files: readonly string[], target: string): Promise<{ seconds: number }>
  /** Resolves with the places of parts without a transcript; null if no part has one. */
  joinTranscripts(folder: string, parts: readonly PartOfTranscript[]): Promise<number[] | null>
  writeReport: WriteReport
  takePicture: TakePicture
  /** Null if the address is of no known platform. */
  nameOfMeeting(url: string): { platform: PlatformName; meetingId: string } | null
}

export interface JoinedFile extends StoredFile {
  seconds: number | null
}

/** Rejects if the media cannot be joined; the parts are never changed. */
export async function joinParts(joining: JoinParts): Promise<JoinedFile[]> {
  const { botId, parts, workFolder, store } = joining
  const media = await joinMedia(joining)
  const facts = await Promise.all(parts.map((part, place) => readPart(part, media.seconds[place]!)))
  const gapsBefore = gapsBetween(facts, joining.beganAt)
  const gaps = allGaps(facts, gapsBefore)
  const { timeline, chat, numberOf, messageIdOf } = joinPeople(facts)
  await writeFilesAboutPeople(workFolder, {
    botId,
    participants: timeline.participantsFile(),
    diarization: timeline.diarization(),
    chat: chat.messages(),
    reactions: chat.reactions(),
  })
  const transcripts = await Promise.all(
    parts.map(async (part, place) => ({
      document: await readJson(part, 'transcription.json'),
      raw: await readJson(part, 'raw_transcription.json'),
      events: facts[place]!.events,
      base: facts.slice(0, place).reduce((sum, { seconds }) => sum + seconds, 0),
      seconds: facts[place]!.seconds,
      numberOf: (id: number | null) => numberOf(place, id),
    })),
  )
  const withoutWords = await joining.joinTranscripts(workFolder, transcripts)
  const video = media.files.find(({ name }) => name === 'video.mp4')
  if (video !== undefined)
    await makePoster(joining, posterAt(timeline.diarization(), video.seconds)).catch(() => {
      // Nothing depends on it.
    })
  await writeReportOf(joining, facts, media.files, gaps)

  const stored: JoinedFile[] = []
  const keep = async (name: string, path: string, seconds: number | null = null) =>
    void stored.push({ ...(await store({ name, path, contentType: contentTypeOf(name) })), seconds })
  for (const { name, path, seconds } of media.files) await keep(name, path, seconds)
  for (const { name, path } of await filesBeside(workFolder)) await keep(name, path)
  const spans = facts.flatMap((part) => part.spans)
  await writeJson(workFolder, 'manifest.json', {
    bot_id: botId,
    recording_mode: facts.findLast(({ report }) => report !== null)?.report?.recording_mode ?? null,
    spans: spans.map(({ startedAt, endedAt }) => ({ started_at: utc(startedAt), ended_at: utc(endedAt) })),
    gaps,
    // Each attempt measured itself only, and a dead one took its figures with it.
    quality: null,
    parts: partsIn(facts, withoutWords),
    files: stored.map(({ seconds, ...file }) => ({ ...file, ...(seconds !== null && { duration_seconds: seconds }) })),
  })
  await keep('manifest.json', join(workFolder, 'manifest.json'))
  const events = joinEvents({ botId, parts: facts, gapsBefore, numberOf, messageIdOf })
  const journal = join(workFolder, 'events.jsonl')
  await writeWholeFile(journal, events.map((event) => `${jsonText(event)}\n`).join(''))
  await keep('events.jsonl', journal)
  return stored
}

/** The picture leads if there is one: by it the places of everything else are counted. */
async function joinMedia({ parts, workFolder, mediaSeconds, joinFiles }: JoinParts) {
  const files: { name: string; path: string; seconds: number; bytes: number }[] = []
  let seconds: number[] = []
  for (const name of MEDIA) {
    const paths = await Promise.all(parts.map((part) => part.file(name)))
    const there = paths.filter((path) => path !== null)
    if (there.length === 0) continue
    if (there.length < parts.length) throw new Error(`A part has no ${name}.`)
    if (seconds.length === 0) seconds = await Promise.all(there.map(mediaSeconds))
    const path = join(workFolder, name)
    const { seconds: length } = await joinFiles(there, path)
    files.push({ name, path, seconds: length, bytes: (await stat(path)).size })
  }
  if (files.length === 0) throw new Error('The parts have no media.')
  return { files, seconds }
}

async function readPart(part: Part, seconds: number): Promise<PartFacts> {
  const journal = await part.file('events.jsonl')
  const lines = journal === null ? [] : (await readFile(journal, 'utf8')).split('\n')
  const events: NumberedEvent[] = []
  for (const line of lines) {
    const event = numberedEventSchema.safeParse(parsed(line))
    // The last line of a dead bot may be torn.
    if (event.success) events.push(event.data)
  }
  return factsOfPart(events, await readJson(part, 'manifest.json'), seconds)
}

async function readJson(part: Part, name: string): Promise<unknown> {
  const path = await part.file(name)
  return path === null ? null : parsed(await readFile(path, 'utf8'))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function writeReportOf(
  { workFolder, writeReport, nameOfMeeting }: JoinParts,
  facts: readonly PartFacts[],
  files: readonly { name: string; bytes: number }[],
  gaps: ReturnType<typeof allGaps>,
): Promise<void> {
  const report = facts.findLast((part) => part.report !== null)?.report
  const meeting = report ? nameOfMeeting(report.meeting_url) : null
  // Only a final report says which meeting it was.
  if (!report || meeting === null) return
  const spans = facts.flatMap((part) => part.spans)
  await writeReport(workFolder, {
    ...meeting,
    botName: report.bot_name,
    startedAt: spans[0]?.startedAt ?? null,
    seconds: facts.reduce((sum, { seconds }) => sum + seconds, 0),
    end: report.end_message,
    files: files.map(({ name }) => name),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    quality: null,
    gaps,
    pauses: pausesOf(spans, gaps),
  })
}

function partsIn(facts: readonly PartFacts[], withoutWords: readonly number[] | null) {
  let offset = 0
  return facts.map(({ seconds, spans }, place) => {
    const part = {
      started_at: utc(spans[0]!.startedAt),
      offset: milliseconds(offset),
      seconds: milliseconds(seconds),
      ...(withoutWords !== null && { has_transcript: !withoutWords.includes(place) }),
    }
    offset += seconds
    return part
  })
}
