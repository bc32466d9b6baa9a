/** Writes `report.html` from the files of a recording: one page to look at it all. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { POSTER } from '@standin/wire/file-names.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { z } from 'zod'
import type { ReportFacts } from '../../packages/core/ports.ts'
import { writeWholeFile } from '../../packages/core/process/atomic-file.ts'
import { pageScript, pageStyle } from '../../packages/core/process/page-scripts.ts'
import { reportHtml } from './html.ts'
import { meetingName } from './meeting-name.ts'
import type { ReportData, ReportMessage } from './page/data.ts'
import { qualityOf } from './quality.ts'

const who = { name: z.string(), user_id: z.number().nullable(), offset: z.number().nullable() }

/** The fields that the report reads of each file; docs/artifacts.md has the whole formats. */
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
  z.looseObject({
    message_id: z.string().optional(),
    sender_name: z.string(),
    offset: z.number().nullable(),
    text: z.string(),
    is_own: z.boolean(),
    is_direct: z.boolean().optional(),
    is_cut: z.boolean().optional(),
    edited_at: z.string().nullish(),
    deleted_at: z.string().nullish(),
    reply_to: z.string().optional(),
    links: z.array(z.looseObject({ text: z.string(), url: z.string() })).default([]),
    files: z.array(z.looseObject({ name: z.string(), bytes: z.number().nullable() })).default([]),
    reactions: z.array(z.looseObject({ emoji: z.string(), count: z.number() })).default([]),
  }),
)
const sign = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('reaction'), emoji: z.string(), ...who }),
  z.looseObject({ type: z.literal('hand'), is_raised: z.boolean(), ...who }),
])

const voiceFiles = z.array(z.looseObject({ id: z.number().nullable(), file: z.string().regex(/^[a-z0-9-]+\.ogg$/) }))

const transcript = z.looseObject({
  result: z.looseObject({
    utterances: z.array(z.looseObject({ speaker: z.string(), start: z.number(), end: z.number(), text: z.string() })),
  }),
})

/** Rejects if a file of the recording is damaged, and names it. Missing files are allowed. */
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
      throw new Error(`${name} cannot be read: ${messageOf(error)}`)
    }
  }
  const lines = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown)
  const participants = (await read('participants.json', people, JSON.parse)) ?? []
  const turns = (await read('diarization.jsonl', z.array(turn), lines)) ?? []
  const chat = (await read('chat_messages.json', messages, JSON.parse)) ?? []
  const voices = new Map(
    ((await read('audio/index.json', voiceFiles, JSON.parse)) ?? []).map(({ id, file }) => [id, `audio/${file}`]),
  )
  const signs = (await read('reactions.jsonl', z.array(sign), lines)) ?? []
  const spoken = await read('transcription.json', transcript, JSON.parse)
  const data: ReportData = {
    meeting: meetingName(facts.platform, facts.meetingId),
    botName: facts.botName,
    startedAt: facts.startedAt === null ? null : new Date(facts.startedAt).toISOString(),
    seconds: facts.seconds,
    media: mediaOf(facts.files),
    poster: await posterIn(folder),
    end: facts.end,
    people: participants.map(({ id, name, is_host, visits }) => ({
      id,
      name,
      isHost: is_host === true,
      voice: voices.get(id) ?? null,
      visits: visits.map(({ joined_offset, left_offset }) => ({ from: joined_offset, to: left_offset })),
    })),
    turns: turns.map(({ speaker, user_id, start_time, end_time, confidence }) => {
      return { person: user_id, name: speaker, from: start_time, to: end_time, confidence }
    }),
    chat: chatOf(chat),
    signs: signs.map((line) => ({
      person: line.user_id,
      name: line.name,
      at: line.offset,
      ...(line.type === 'reaction'
        ? { sign: line.emoji, text: `reacted with ${line.emoji}` }
        : { sign: line.is_raised ? '✋' : '', text: line.is_raised ? 'raised a hand ✋' : 'lowered the hand' }),
    })),
    utterances: (spoken?.result.utterances ?? []).map(({ speaker, start, end, text }) => {
      return { name: speaker, from: start, to: end, text }
    }),
    gaps: facts.gaps.map(({ offset, seconds }) => ({ at: offset, seconds })),
    quality: qualityOf(facts),
  }
  await writeWholeFile(
    join(folder, 'report.html'),
    reportHtml(data, { script: pageScript('report'), style: pageStyle('report') }),
  )
}

async function posterIn(folder: string): Promise<string | null> {
  const picture = await readFile(join(folder, POSTER)).catch(() => null)
  return picture && `data:image/jpeg;base64,${picture.toString('base64')}`
}

/** Of a message, beside the reply to it. */
const QUOTED_CHARACTERS = 60

function chatOf(chat: z.infer<typeof messages>): ReportMessage[] {
  const byId = new Map(chat.map((message) => [message.message_id, message]))
  return chat.map((message) => {
    const answered = message.reply_to === undefined ? undefined : byId.get(message.reply_to)
    return {
      name: message.sender_name,
      at: message.offset,
      text: message.text,
      isBot: message.is_own,
      isDirect: message.is_direct === true,
      isEdited: message.edited_at !== undefined,
      isDeleted: typeof message.deleted_at === 'string',
      isCut: message.is_cut === true,
      answers: answered ? `${answered.sender_name}: ${answered.text.slice(0, QUOTED_CHARACTERS)}` : null,
      links: message.links.map(({ text, url }) => ({ text, url })),
      files: message.files.map(({ name, bytes }) => ({ name, bytes })),
      reactions: message.reactions.map(({ emoji, count }) => `${emoji} ${count}`),
    }
  })
}

function mediaOf(files: readonly string[]): ReportData['media'] {
  if (files.includes('video.mp4')) return { kind: 'video', file: 'video.mp4' }
  return files.includes('audio.m4a') ? { kind: 'audio', file: 'audio.m4a' } : null
}
