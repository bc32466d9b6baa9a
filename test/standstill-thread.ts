/**
 * The longest time in milliseconds by which this thread woke late. A separate thread, since a test may compute for
 * seconds.
 */
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 20
/** The longest lateness, and how often the thread woke. */
const seen = workerData as Int32Array
let before = performance.now()
setInterval(() => {
  const now = performance.now()
  const lateMs = Math.round(now - before - EVERY_MS)
  before = now
  if (lateMs > Atomics.load(seen, 0)) Atomics.store(seen, 0, lateMs)
  Atomics.add(seen, 1, 1)
}, EVERY_MS)
parentPort?.postMessage('watching')
