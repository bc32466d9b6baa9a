/** The stored session of a job for all its attempts to join: loaded once, within a deadline, and removed at the end. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { BotError } from '../../packages/core/errors.ts'
import { type BrowserState, type LoadedState, loadBrowserState, type ReadObject } from './state.ts'

const READ_MS = 120_000

export type SessionOnce = ReturnType<typeof openSessionOnce>

export function openSessionOnce(address: string | null, readObject: ReadObject, readMs = READ_MS) {
  let loaded: LoadedState | null = null
  return {
    /**
     * Null if the job has none. Rejects with a BotError that says the job is invalid, or with the reason of the
     * signal.
     */
    async load(signal: AbortSignal): Promise<BrowserState | null> {
      if (address === null) return null
      const deadline = AbortSignal.timeout(readMs)
      try {
        loaded ??= await loadBrowserState(address, readObject, AbortSignal.any([signal, deadline]))
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw unusable(deadline.aborted ? `it was not read within ${readMs / 1000} s` : reasonOf(error), error)
      }
      return loaded.state
    },
    /** Removes the unpacked files; repeatable, never rejects. */
    async dispose(): Promise<void> {
      await loaded?.dispose()
    },
  }
}

function unusable(reason: string, cause: unknown): BotError {
  const message = `The stored session (browser_state) cannot be used: ${reason}.`
  return new BotError('INTERNAL_ERROR', message, { step: 'browser_state', isInvalidJob: true, cause })
}

function reasonOf(error: unknown): string {
  const reason = messageOf(error)
  return reason.replace(/\.$/, '')
}
