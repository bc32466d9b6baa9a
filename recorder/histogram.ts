/** Median and worst of any number of milliseconds, in a few kilobytes. */
const STEP_MS = 5
const STEPS = 2_000

export function createHistogram() {
  const steps = new Uint32Array(STEPS + 1)
  let count = 0
  let worst = 0
  return {
    get count() {
      return count
    },
    get worst() {
      return worst
    },
    add(ms: number): void {
      const rounded = Math.max(0, Math.round(ms))
      steps[Math.min(STEPS, Math.floor(rounded / STEP_MS))]! += 1
      count += 1
      worst = Math.max(worst, rounded)
    },
    /** To five milliseconds; 0 of nothing, and ten seconds of more than that. */
    median(): number {
      let left = count / 2
      for (const [step, hits] of steps.entries()) {
        left -= hits
        if (hits > 0 && left <= 0) return step * STEP_MS
      }
      return 0
    },
  }
}
