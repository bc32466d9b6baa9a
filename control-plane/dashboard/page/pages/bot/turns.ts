/** The turns of all speakers in the whole recording. */
import type { Turn } from '../../../../../packages/page-parts/speakers.ts'
import { answerOf, type Bot, type Parts, v2 } from '../../api.ts'
import { TEXTS } from '../../texts.ts'

/** Reads the diarization file; without one, the speaker events. */
export async function readTurns(bot: Bot, parts: Parts): Promise<Turn[]> {
  if (bot.diarization === null) return turnsOfEvents(bot.bot_id, parts)
  const response = await fetch(bot.diarization)
  if (!response.ok) throw new Error(`${response.status}`)
  return turnsOfFile(await response.text())
}

/** Parses JSON lines. Skips lines without a turn. */
function turnsOfFile(text: string): Turn[] {
  return text.split('\n').flatMap((line) => {
    try {
      const { speaker, start_time: from, end_time: to } = JSON.parse(line) as Record<string, unknown>
      if (typeof from !== 'number' || typeof to !== 'number') return []
      const name = typeof speaker === 'string' ? speaker : TEXTS.unknown
      return [{ person: name, name, from, to }]
    } catch {
      return []
    }
  })
}

/** The offsets of each attempt count from its own start. */
async function turnsOfEvents(botId: string, { parts }: Parts): Promise<Turn[]> {
  const begins = new Map(parts.map((part) => [part.attempt, part.begins]))
  const turns: Turn[] = []
  const open = new Map<string, number>()
  let cursor: string | null = null
  for (;;) {
    const query = { types: ['speaker' as const], limit: 500, ...(cursor !== null && { cursor }) }
    const page: { data: { attempt: number; data: Record<string, unknown> }[]; cursor: string | null } = await answerOf(
      v2.GET('/v2/bots/{bot_id}/events', { params: { path: { bot_id: botId }, query } }),
    )
    if (page.data.length === 0) return turns
    cursor = page.cursor
    for (const { attempt, data } of page.data) {
      const name = String((data.participant as { name?: unknown } | undefined)?.name ?? TEXTS.unknown)
      if (typeof data.offset !== 'number') continue
      const at = data.offset + (begins.get(attempt) ?? 0)
      const key = `${attempt} ${name}`
      if (data.is_speaking) open.set(key, at)
      else {
        const from = open.get(key)
        if (from !== undefined) turns.push({ person: name, name, from, to: at })
        open.delete(key)
      }
    }
  }
}
