/** Links to a bot's artifacts, signed when they are read. */

import { z } from 'zod'
import { ARTIFACT_NAMES, NEWER_LINK_SECONDS } from '../bots/messages/placeholders.ts'
import type { ArtifactField, BotLinks, FileStore } from '../platform/ports.ts'
import { artifactOfBot, artifactsOfBot, type StoredArtifact } from '../store/bots/artifacts.ts'
import type { Database } from '../store/database.ts'
import { keyParts } from './keys.ts'

/** Longer than the transcript of any meeting that the service records. */
const MAX_TRANSCRIPT_BYTES = 64 * 1024 * 1024

export function createArtifactLinks(db: Database, files: FileStore, publicUrl: string): BotLinks {
  const linkToKey = async (key: string, seconds: number) => (keyParts(key) === null ? null : files.sign(key, seconds))
  const linkTo = ({ key }: StoredArtifact, seconds: number) => linkToKey(key, seconds)

  /** Questions about one bot at the same time, as a webhook with all its links asks them, share one answer. */
  const asked = new Map<string, Promise<StoredArtifact[]>>()
  const artifactsOf = (botId: string) => {
    let answer = asked.get(botId)
    if (answer === undefined) {
      answer = artifactsOfBot(db, botId).finally(() => asked.delete(botId))
      asked.set(botId, answer)
    }
    return answer
  }

  return {
    publicUrl,
    linkTo: linkToKey,
    async sign(botId, name, seconds) {
      const artifact = (await artifactsOf(botId)).find((one) => one.name === name)
      return artifact === undefined ? null : linkTo(artifact, seconds)
    },
    async olderTranscript(botId) {
      const artifact = await artifactOfBot(db, botId, ARTIFACT_NAMES.transcription)
      const bytes = artifact ? await files.read(artifact.key, MAX_TRANSCRIPT_BYTES) : null
      return bytes === null ? [] : olderTranscriptOf(JSON.parse(Buffer.from(bytes).toString('utf8')))
    },
    async linksOf(botId, seconds = NEWER_LINK_SECONDS) {
      const byName = new Map((await artifactsOfBot(db, botId)).map((artifact) => [artifact.name, artifact]))
      const links = Object.entries(ARTIFACT_NAMES).map(async ([field, name]) => {
        const artifact = byName.get(name)
        return [field, artifact === undefined ? null : await linkTo(artifact, seconds)] as const
      })
      return Object.fromEntries(await Promise.all(links)) as Record<ArtifactField, string | null>
    },
    async screenshotsOf(botId, seconds = NEWER_LINK_SECONDS) {
      const shots = (await artifactsOfBot(db, botId)).filter(({ name }) => name.startsWith('screenshots/'))
      const links = await Promise.all(
        shots.map(async (shot) => ({ name: shot.name, url: await linkTo(shot, seconds) })),
      )
      return links.flatMap(({ name, url }) => (url === null ? [] : [{ name, url }]))
    },
  }
}

/** The worker's `transcription.json` in the shape of the older generation. */
const wordSchema = z.object({ word: z.string(), start: z.number(), end: z.number() })
const transcriptionSchema = z.object({
  result: z.object({
    utterances: z.array(
      z.object({ speaker: z.string(), start: z.number(), end: z.number(), words: z.array(wordSchema) }),
    ),
  }),
})

interface OlderUtterance {
  speaker: string
  /** Seconds from the start of the recording, like the other times; equals `start_time`. */
  offset: number
  start_time: number
  end_time: number
  words: { start: number; end: number; word: string }[]
}

/** Throws if the document has another shape. */
function olderTranscriptOf(document: unknown): OlderUtterance[] {
  return transcriptionSchema.parse(document).result.utterances.map(({ speaker, start, end, words }) => ({
    speaker,
    offset: start,
    start_time: start,
    end_time: end,
    words: words.map((word) => ({ start: word.start, end: word.end, word: word.word })),
  }))
}
