/** Reads a live transcript back from the journal of events: captions are stored nowhere else. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { type Transcript, transcriptSchema } from '@standin/wire/events.ts'
import { linesOf } from '@standin/wire/text/json-text.ts'
import type { LiveResult } from './live.ts'
import { spread } from './spread.ts'
import type { Utterance } from './types.ts'

/** The utterances in events that are parsed already. */
export function spokenIn(events: readonly { event: unknown }[]): Utterance[] {
  return events.flatMap(({ event }) => {
    const parsed = transcriptSchema.safeParse(event)
    return parsed.success ? [utteranceOf(parsed.data)] : []
  })
}

function utteranceOf({ text, speaker, start, end, language }: Transcript): Utterance {
  const who = { speaker: speaker?.name ?? 'Unknown', userId: speaker?.id ?? null }
  return { ...who, start, end, text, language, words: spread(text, start, end) }
}

/** Rejects if the folder has no journal, or the journal has no words. */
export async function readSpoken(folder: string): Promise<LiveResult> {
  const utterances: Utterance[] = []
  const languages = new Set<string>()
  const raw: unknown[] = []
  for await (const line of linesOf(createReadStream(join(folder, 'events.jsonl'), 'utf8'))) {
    if (!line.includes('"transcript"')) continue
    const parsed = transcriptSchema.safeParse((JSON.parse(line) as { event?: unknown }).event)
    if (!parsed.success) continue
    const { language } = parsed.data
    raw.push(parsed.data)
    if (language !== null) languages.add(language)
    utterances.push(utteranceOf(parsed.data))
  }
  if (utterances.length === 0) throw new Error('The journal of events has no words.')
  return { utterances, words: [], languages: [...languages], raw, gap: null, holes: [] }
}
