/** The files beside the recording: people, speech, chat, evidence. docs/artifacts.md describes their formats. */
import { copyFile, lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { POSTER } from '@standin/wire/file-names.ts'
import type { Reason } from '@standin/wire/reasons.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { redact, redactText } from '../../packages/core/logger.ts'
import type { Evidence, RecordedFile } from '../../packages/core/ports.ts'
import { writeWholeFile } from '../../packages/core/process/atomic-file.ts'
import type { ChatFileEntry, ReactionLine } from './chat-record.ts'
import { rttm } from './rttm.ts'
import type { DiarizationSegment, Timeline } from './timeline.ts'

export interface FilesAboutPeople {
  botId: string
  participants: ReturnType<Timeline['participantsFile']>
  diarization: DiarizationSegment[]
  chat: ChatFileEntry[]
  reactions: ReactionLine[]
}

/** Writes only files that have content: a bot that never recorded leaves no empty files. */
export async function writeFilesAboutPeople(folder: string, about: FilesAboutPeople): Promise<void> {
  if (about.participants.length > 0) await writeJson(folder, 'participants.json', about.participants)
  if (about.diarization.length > 0) {
    await writeLines(folder, 'diarization.jsonl', about.diarization)
    await writeWholeFile(join(folder, 'diarization.rttm'), rttm(about.botId, about.diarization))
  }
  if (about.chat.length > 0) await writeJson(folder, 'chat_messages.json', about.chat)
  if (about.reactions.length > 0) await writeLines(folder, 'reactions.jsonl', about.reactions)
}

export const LOG_NAME = 'standin.log'

/** `debug/`: what was on screen (null if no page was open), the log, and one sentence on what can be done about it. */
export async function saveEvidence(
  folder: string,
  evidence: Evidence | null,
  failure: {
    code: string
    reason?: Reason | undefined
    sentence: string
    step: string | undefined
    words_version?: string | undefined
  },
): Promise<void> {
  const debug = join(folder, 'debug')
  await mkdir(debug, { recursive: true, mode: 0o700 })
  await copyFile(join(folder, LOG_NAME), join(debug, LOG_NAME)).catch(() => {
    // A bot without a log file, as in a test, has none to copy.
  })
  if (evidence?.screenshot) await writeWholeFile(join(debug, 'screenshot.png'), evidence.screenshot)
  if (evidence?.structure) await writeWholeFile(join(debug, 'structure.html'), redactText(evidence.structure))
  if (evidence?.html) await writeWholeFile(join(debug, 'page.html'), redactText(withoutScripts(evidence.html)))
  if (evidence)
    await writeWholeFile(join(debug, 'console.log'), evidence.console.map((line) => `${redactText(line)}\n`).join(''))
  const url = evidence?.url ?? null
  await writeJson(folder, join('debug', 'failure.json'), redact({ ...failure, url, signs: evidence?.signs ?? {} }))
}

/** Scripts are not on screen, and hold what a signed-in page knows about its person. */
function withoutScripts(html: string): string {
  return html.replace(/(<script\b[^>]{0,4096}>).*?(?=<\/script\b|$)/gis, '$1')
}

const RECORDED = ['audio', 'segments', 'video.mp4', 'audio.m4a', 'manifest.json', 'debug', 'screenshots']

/**
 * A bot that is started again with the same id must not write over what it recorded before: that goes to a folder
 * `earlier-…` inside the recording's folder. Resolves with its path, or null if there is nothing.
 */
export async function setAsideEarlier(folder: string, now = new Date()): Promise<string | null> {
  const present = new Set(await readdir(folder))
  const names = [...RECORDED, ...SMALL_FILES].filter((name) => present.has(name))
  if (names.length === 0) return null
  const earlier = join(folder, `earlier-${now.toISOString().replaceAll(':', '-')}`)
  await mkdir(earlier, 0o700)
  for (const name of names) await rename(join(folder, name), join(earlier, name))
  return earlier
}

const SMALL_FILES = [
  'participants.json',
  'diarization.jsonl',
  'diarization.rttm',
  'chat_messages.json',
  'reactions.jsonl',
  'transcription.json',
  'raw_transcription.json',
  'transcription.vtt',
  'transcription.srt',
  'report.html',
  POSTER,
]

/** The files that exist beside the recording, to be stored with it. */
export async function filesBeside(folder: string): Promise<RecordedFile[]> {
  const names = [...SMALL_FILES]
  for (const inner of ['debug', 'screenshots'])
    names.push(...(await readdir(join(folder, inner)).catch(() => [])).sort().map((name) => `${inner}/${name}`))
  const files: RecordedFile[] = []
  for (const name of names) {
    const path = join(folder, name)
    const info = await lstat(path).catch(() => null)
    if (info?.isFile()) files.push({ name, path, bytes: info.size })
  }
  return files
}

export async function writeJson(folder: string, name: string, content: unknown): Promise<void> {
  await writeWholeFile(join(folder, name), `${jsonText(content, 2)}\n`)
}

async function writeLines(folder: string, name: string, lines: readonly unknown[]): Promise<void> {
  await writeWholeFile(join(folder, name), lines.map((line) => `${jsonText(line)}\n`).join(''))
}
