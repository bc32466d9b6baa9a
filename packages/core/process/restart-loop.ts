import { messageOf } from '@standin/wire/text/error-text.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import type { Clock } from '../ports.ts'

/** As much of a supervised process as it takes. */
interface Running {
  ended: Promise<{ text: string }>
  stop(): Promise<unknown>
}

/** Starts a process again whenever it ends, until the signal is aborted, which stops it. Never rejects. */
export function restartLoop(options: {
  start(): Promise<Running>
  /** Between an end and the next start. */
  retryMs: number
  clock: Clock
  signal: AbortSignal
  /** It ended by itself, or did not start. */
  onBroken(reason: string): void
}): Promise<void> {
  const { start, retryMs, clock, signal, onBroken } = options
  async function round(): Promise<number> {
    const child = await start()
    const onOver = () => void child.stop()
    if (signal.aborted) onOver()
    signal.addEventListener('abort', onOver, { once: true })
    const { text } = await child.ended
    signal.removeEventListener('abort', onOver)
    if (!signal.aborted) onBroken(text)
    return retryMs
  }
  const onError = (error: unknown) => onBroken(messageOf(error))
  return startLoop(round, { onError, afterErrorMs: retryMs, clock, signal }).ended
}
