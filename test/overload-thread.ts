/** In a thread of its own, since a test may itself compute for seconds: by how many milliseconds it was woken too late. */
import { workerData } from 'node:worker_threads'

const EVERY_MS = 20
const latest = workerData as Int32Array
let before = performance.now()
setInterval(() => {
  const now = performance.now()
  const lateMs = Math.round(now - before - EVERY_MS)
  before = now
  if (lateMs > Atomics.load(latest, 0)) Atomics.store(latest, 0, lateMs)
}, EVERY_MS)
