/** Finds words in finished transcripts, newest meetings first. */
import { lineOfUtterance } from './lines.ts'
import type { Meetings } from './meetings.ts'

const BOTS_A_PAGE = 50
const LINES_A_MEETING = 20
/** Transcripts that are read at once. */
const AT_ONCE = 4

/**
 * Lines of a meeting follow a line that names it. A transcript that cannot be read is named, and the search continues.
 */
export async function searchTranscripts(meetings: Meetings, words: string, count: number): Promise<string[]> {
  const wanted = foldedWords(words)
  const lines: string[] = []
  let cursor: string | undefined
  for (let left = count; left > 0; ) {
    const page = await meetings.list({
      status: 'completed',
      limit: Math.min(left, BOTS_A_PAGE),
      ...(cursor !== undefined && { cursor }),
    })
    for (let from = 0; from < page.bots.length; from += AT_ONCE) {
      const found = await Promise.all(
        page.bots.slice(from, from + AT_ONCE).map((bot) => searchOne(meetings, bot.bot_id, bot.created_at, wanted)),
      )
      lines.push(...found.flat())
    }
    left -= page.bots.length
    if (page.cursor === null || page.bots.length === 0) break
    cursor = page.cursor
  }
  return lines
}

async function searchOne(meetings: Meetings, botId: string, createdAt: string, wanted: string[]): Promise<string[]> {
  try {
    const utterances = (await meetings.transcript(await meetings.bot(botId))) ?? []
    const found = utterances.filter(({ text, speaker }) => {
      const folded = fold(`${speaker} ${text}`)
      return wanted.every((word) => folded.includes(word))
    })
    if (found.length === 0) return []
    return [
      `meeting of ${createdAt} (bot ${botId})`,
      ...found.slice(0, LINES_A_MEETING).map((line) => `  ${lineOfUtterance(line)}`),
    ]
  } catch (error) {
    return [
      `meeting of ${createdAt} (bot ${botId}) could not be searched: ${error instanceof Error ? error.message : error}`,
    ]
  }
}

/** Without case and accents. */
const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

const foldedWords = (words: string): string[] =>
  fold(words)
    .split(/\s+/)
    .filter((word) => word !== '')
