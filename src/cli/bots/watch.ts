/** `standin bots watch`: what happens to a bot, line by line, and at a terminal the words as they are spoken, until it has ended. */
import { clearLine, cursorTo } from 'node:readline'
import { followEvents } from '@standin/client/follow.ts'
import { answerOf, type Schemas, StandinApiError, type StandinClient } from '@standin/client/index.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import { canRedraw, type Io } from '@standin/wire/process/command-io.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { shownText } from '../shown-text.ts'
import { colored, LEFT_EARLY, sentenceFor } from '../view.ts'
import { readBot } from './bots.ts'
import { patiently } from './service.ts'

const LOOK_EVERY_MS = 1000
const EVENTS_A_PAGE = 500
/** Statuses that the bot itself does not report. */
const STATUSES_OF_SERVICE = ['scheduled', 'queued', 'transcribing']
/** As of a program that SIGINT ended. */
const EXIT_INTERRUPTED = 130

export interface WatchOptions {
  json?: boolean
  /** Only the end is printed. */
  quiet?: boolean
  /** Aborted to watch no longer. */
  signal: AbortSignal
}

/**
 * Resolves with the exit code, which is that of `standin join`: 0 completed, or left on request before it recorded; 3 could
 * not join; 4 failed after recording began. 130 if the watch was interrupted.
 */
export async function watchBot(
  client: StandinClient['v2'],
  botId: string,
  { json = false, quiet = false, signal }: WatchOptions,
  io: Pick<Io, 'output' | 'errors' | 'environment'>,
): Promise<number> {
  const path = { bot_id: botId }
  const live = !json && !quiet && canRedraw(io.output, io.environment) ? liveLine(io.output) : null
  const write = (text: string | null) => {
    if (text === null) return
    live?.clear()
    io.output.write(`${json ? text : colored(text, io.output)}\n`)
  }
  const patience = { signal, onTrouble: (sentence: string) => io.errors.write(`! ${sentence}\n`) }
  const readStatus = () =>
    answerOf(client.GET('/v2/bots/{bot_id}/status', { params: { path } })).then(({ data }) => String(data.status))
  const readEvents = (query: { limit: number; cursor?: string }) =>
    answerOf(client.GET('/v2/bots/{bot_id}/events', { params: { path, query } }))

  let cursor: string | null = null
  let shown = ''
  let hasRecorded = false
  let isFirst = true
  const following = new AbortController()
  let stream: Promise<void> | null = null

  /** True if there may be more. */
  async function showEvents(): Promise<boolean> {
    const query = { limit: EVENTS_A_PAGE, ...(cursor !== null && { cursor }) }
    // The first request is not repeated: more often than the service, the address is wrong.
    const page = isFirst ? await readEvents(query) : await patiently(() => readEvents(query), patience)
    isFirst = false
    cursor = page.cursor
    for (const event of page.data) show(event)
    return page.data.length > 0
  }

  function show(event: Schemas['BotEvent']): void {
    const { type, data } = event
    if (type === 'status_change') {
      shown = String(data.status)
      hasRecorded ||= shown === 'in_call_recording'
    }
    if (json) write(jsonText(event))
    else if (!quiet) write(sentenceFor({ type, ...data } as BotEvent))
  }

  /** Shows events as they come. Resolves when none comes this way any more; they are read page by page then. */
  async function follow(): Promise<void> {
    const options = { ...(cursor !== null && { cursor }), signal: AbortSignal.any([signal, following.signal]) }
    try {
      for await (const { cursor: place, ...event } of followEvents(client, botId, {
        ...options,
        ...(live && { onPartial: ({ data }) => live.show(data) }),
      })) {
        cursor = place
        show(event)
      }
    } catch {
      // The next page says why, if it is not answered either.
    }
    stream = null
  }

  try {
    for (;;) {
      // Read before the events, so that after an end every event is there.
      const status = isFirst ? null : await patiently(() => readStatus().catch(whileScheduled), patience)
      const isOver = status === 'completed' || status === 'failed'
      if (isOver) following.abort()
      if (isOver) await stream
      if (stream === null) while (await showEvents());
      if (isOver) break
      if (status !== null && status !== 'scheduled') stream ??= follow()
      if (status !== null && status !== shown && STATUSES_OF_SERVICE.includes(status)) {
        shown = status
        if (json) write(jsonText({ type: 'status_change', data: { status } }))
        else if (!quiet) write(sentenceFor({ type: 'status_change', status } as never))
      }
      if (status !== null) await systemClock.sleep(LOOK_EVERY_MS, signal)
    }
  } catch (error) {
    following.abort()
    live?.clear()
    if (!signal.aborted) throw error
    if (!json) io.errors.write(`The bot continues. To end it: standin bots leave ${botId}\n`)
    return EXIT_INTERRUPTED
  }

  const bot = await patiently(() => readBot(client, botId), patience)
  if (json) write(jsonText({ type: 'bot', data: bot }))
  // A bot whose process crashed reported no end itself.
  else if (quiet || shown !== bot.status) write(sentenceFor({ type: 'status_change', ...bot } as never))
  if (!json && !quiet && (bot.video ?? bot.audio) !== null) write(`Next: standin bots download ${botId}`)
  if (bot.status === 'completed' || bot.error_code === LEFT_EARLY) return 0
  return hasRecorded || bot.duration_seconds !== null ? 4 : 3
}

/** A scheduled bot has no status before its time. */
function whileScheduled(error: unknown): string {
  if (error instanceof StandinApiError && error.status === 404) return 'scheduled'
  throw error
}

/** The words that are being spoken, in the last line of a terminal. */
function liveLine(output: Io['output']) {
  const { columns = 80 } = output as Partial<NodeJS.WriteStream>
  const clear = () => {
    cursorTo(output, 0)
    clearLine(output, 0)
  }
  return {
    clear,
    show({ speaker, text }: Record<string, unknown>) {
      const name = shownText(String((speaker as { name?: unknown } | null)?.name ?? 'Unknown'), 30)
      const line = `… ${name}: ${shownText(String(text), Number.POSITIVE_INFINITY)}`
      clear()
      // A reader has read its beginning.
      if (text !== '') output.write(line.length < columns ? line : `…${line.slice(2 - columns)}`)
    },
  }
}
