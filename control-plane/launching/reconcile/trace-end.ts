import { NO_TRACES, type Traces, traceLife } from '../../platform/traces.ts'
import { readBot } from '../../store/bots/bots.ts'
import type { Database } from '../../store/database.ts'

/** Sends the trace of a bot that ended here. Not where another attempt may follow. */
export async function traceEnd(
  { database, traces = NO_TRACES }: { database: Database; traces?: Traces | undefined },
  botId: string,
): Promise<void> {
  if (!traces.isOn) return
  const bot = await readBot(database, botId)
  if (bot !== undefined) traceLife(traces, bot)
}
