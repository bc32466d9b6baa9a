/** Notifies launchers that a bot may be due, a few times a second at most. */
import { wakeLaunchers } from '../store/wake-ups.ts'
import type { ApiDependencies } from './dependencies.ts'

const MIN_PAUSE_MS = 25

/** A hint that fails costs only time, because launchers also poll. */
export function createLaunchHint({ acrossTeams, log }: Pick<ApiDependencies, 'acrossTeams' | 'log'>): () => void {
  let isPausing = false
  let isWanted = false

  function give(): void {
    isWanted = true
    if (isPausing) return
    isWanted = false
    isPausing = true
    wakeLaunchers(acrossTeams).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'Launchers could not be notified of a new bot'),
    )
    setTimeout(() => {
      isPausing = false
      if (isWanted) give()
    }, MIN_PAUSE_MS).unref()
  }

  return give
}
