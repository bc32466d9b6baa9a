import type { LaunchHandle, Log } from '../../../platform/ports.ts'

/** Kills the bot unless it has ended by then. */
export function killLater(kill: (handle: LaunchHandle) => Promise<void>, handle: LaunchHandle, ms: number, log: Log) {
  const timer = setTimeout(() => {
    kill(handle).catch((error) => log.error({ name: handle.name, error: String(error) }, 'Bot could not be killed'))
  }, ms)
  timer.unref()
}
