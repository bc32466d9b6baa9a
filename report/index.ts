/** Writes `report.html` from the files of a recording: one page to look at it all. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { pageScript } from '../src/page-scripts.ts'
import type { ReportFacts } from '../src/ports.ts'
import { reportHtml } from './html.ts'
import type { ReportData } from './page/data.ts'

/** What the report reads of each file; docs/artifacts.md has the whole formats. */
const people = z.array(
  z.looseObject({
    id: z.number(),
    name: z.string(),
    is_host: z.boolean().optional(),
    visits: z.array(z.looseObject({ joined_offset: z.number().nullable(), left_offset: z.number().nullable() })),
  }),
)
const turn = z.looseObject({
  speaker: z.string(),
  user_id: z.number(),
  start_time: z.number(),
  end_time: z.number(),
  confidence: z.number().default(1),
})
const messages = z.array(
  z.looseObject({ sender_name: z.string(), offset: z.number().nullable(), text: z.string(), is_own: z.boolean() }),
)

const transcript = z.looseObject({
  result: z.looseObject({
    utterances: z.array(z.looseObject({ speaker: z.string(), start: z.number(), end: z.number(), text: z.string() })),
  }),
})

/** Rejects where a file of the recording is damaged, naming it. Files that are not there say nothing. */
export async function writeReport(folder: string, facts: ReportFacts): Promise<void> {
  const read = async <T>(name: string, schema: z.ZodType<T>, parse: (text: string) => unknown): Promise<T | null> => {
    const text = await readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (text === null) return null
    try {
      return schema.parse(parse(text))
    } catch (error) {
      throw new Error(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const lines = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown)
  const there = (await read('participants.json', people, JSON.parse)) ?? []
  const turns = (await read('diarization.jsonl', z.array(turn), lines)) ?? []
  const chat = (await read('chat_messages.json', messages, JSON.parse)) ?? []
  const spoken = await read('transcription.json', transcript, JSON.parse)
  const data: ReportData = {
    meeting: withoutScheme(facts.meetingUrl),
    botName: facts.botName,
    startedAt: facts.startedAt === null ? null : new Date(facts.startedAt).toISOString(),
    seconds: facts.seconds,
    media: mediaOf(facts.files),
    end: facts.end,
    people: there.map(({ id, name, is_host, visits }) => ({
      id,
      name,
      isHost: is_host === true,
      visits: visits.map(({ joined_offset, left_offset }) => ({ from: joined_offset, to: left_offset })),
    })),
    turns: turns.map(({ speaker, user_id, start_time, end_time, confidence }) => {
      return { person: user_id, name: speaker, from: start_time, to: end_time, confidence }
    }),
    chat: chat.map(({ sender_name, offset, text, is_own }) => ({ name: sender_name, at: offset, text, isBot: is_own })),
    utterances: (spoken?.result.utterances ?? []).map(({ speaker, start, end, text }) => {
      return { name: speaker, from: start, to: end, text }
    }),
    quality: qualityOf(facts),
  }
  await writeFile(join(folder, 'report.html'), reportHtml(data, pageScript('report')))
}

function mediaOf(files: readonly string[]): ReportData['media'] {
  if (files.includes('video.mp4')) return { kind: 'video', file: 'video.mp4' }
  return files.includes('audio.m4a') ? { kind: 'audio', file: 'audio.m4a' } : null
}

function qualityOf({
  seconds,
  bytes,
  repeatedFrames,
  framesPerSecond,
  pauses,
  files,
}: ReportFacts): [string, string][] {
  const frames = seconds * framesPerSecond
  const picture: [string, string][] = files.includes('video.mp4')
    ? [
        [
          'Repeated frames',
          `${repeatedFrames} of ${Math.round(frames)} (${percent(repeatedFrames / Math.max(1, frames))})`,
        ],
      ]
    : []
  return [...picture, ['Size', `${(bytes / 1_000_000).toFixed(1)} MB`], ['Pauses', String(pauses)]]
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`
}

/** For a heading; the link's secrets are not in it. */
function withoutScheme(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
