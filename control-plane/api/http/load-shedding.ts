/** Turns requests away while the process cannot keep up, so that those under way get done. */
import underPressure from '@fastify/under-pressure'
import { refusals } from './errors.ts'
import type { App } from './generation.ts'

const MAX_EVENT_LOOP_DELAY_MS = 1000
/** A short stall of the machine is no reason to refuse requests. */
const PATIENCE_MS = 3000
/** The delay is measured once a second; after a longer gap the overload counts as a new one. */
const GAP_MS = 2500

export interface SheddingSettings {
  maxEventLoopDelayMs?: number
  patienceMs?: number
}

export async function shedLoad(app: App, settings: SheddingSettings = {}): Promise<void> {
  const patienceMs = settings.patienceMs ?? PATIENCE_MS
  let since = 0
  let last = Number.NEGATIVE_INFINITY
  await app.register(underPressure, {
    maxEventLoopDelay: settings.maxEventLoopDelayMs ?? MAX_EVENT_LOOP_DELAY_MS,
    pressureHandler: () => {
      const now = performance.now()
      if (now - last > GAP_MS) since = now
      last = now
      if (now - since >= patienceMs) throw refusals.unavailable('The service is busy')
    },
  })
}
