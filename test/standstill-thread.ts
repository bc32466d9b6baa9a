/** In a thread of its own, since a test may itself compute for seconds: the longest time in milliseconds by which it woke late. */
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 20
const longest = workerData as Int32Array
let before = performance.now()
setInterval(() => {
  const now = performance.now()
  const lateMs = Math.round(now - before - EVERY_MS)
  before = now
  if (lateMs > Atomics.load(longest, 0)) Atomics.store(longest, 0, lateMs)
}, EVERY_MS)
parentPort?.postMessage('watching')
