/** Turns requests away while the process cannot keep up, so that those under way get done. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { refusals } from './errors.ts'
import type { App } from './generation.ts'

const MAX_EVENT_LOOP_DELAY_MS = 1000
/** A short stall of the machine is no reason to refuse requests. */
const PATIENCE_MS = 3000
/** After a longer gap the overload counts as a new one. */
const GAP_MS = 2500
const MEASURE_EVERY_MS = 1000
/** Between two samples of the delay. */
const STEP_MS = 10

export interface SheddingSettings {
  maxEventLoopDelayMs?: number
  patienceMs?: number
}

export function shedLoad(app: App, settings: SheddingSettings = {}): void {
  const { maxEventLoopDelayMs = MAX_EVENT_LOOP_DELAY_MS, patienceMs = PATIENCE_MS } = settings
  const delay = watchDelay()
  app.addHook('onClose', async () => delay.stop())
  let since = 0
  let last = Number.NEGATIVE_INFINITY
  app.addHook('onRequest', (request, _reply, done) => {
    const isOver = delay.ofLastSecond() > maxEventLoopDelayMs
    if (!isOver || request.routeOptions.config.answersUnderLoad) return done()
    const now = performance.now()
    if (now - last > GAP_MS) since = now
    last = now
    done(now - since >= patienceMs ? refusals.unavailable('The service is busy') : undefined)
  })
}

/**
 * Measures the delay of the event loop while anyone asks for it. Sampling all the time costs an idle process more than
 * everything else that it does.
 */
function watchDelay() {
  const samples = monitorEventLoopDelay({ resolution: STEP_MS })
  let timer: NodeJS.Timeout | undefined
  let isAsked = false
  let meanMs = 0

  function measure(): void {
    // No sample: the loop was blocked all the time.
    meanMs = samples.count === 0 ? Number.POSITIVE_INFINITY : Math.max(0, samples.mean / 1e6 - STEP_MS)
    samples.reset()
    if (isAsked) timer!.refresh()
    else stop()
    isAsked = false
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
    samples.disable()
    meanMs = 0
  }

  return {
    stop,
    /** Mean, milliseconds. 0 until a second was measured. */
    ofLastSecond(): number {
      isAsked = true
      if (timer === undefined) {
        samples.reset()
        samples.enable()
        timer = setTimeout(measure, MEASURE_EVERY_MS)
        timer.unref()
      }
      return meanMs
    },
  }
}
