/** In place of `standin recover`: says what it was asked, in the shape of the real command's answers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [mode, ...asked] = process.argv.slice(2)
const saw = Object.keys(process.env)
  .filter((name) => /^AWS_|^DATABASE/.test(name))
  .sort()
const found = { name: 'video.mp4', location: asked.join(' '), bytes: 7, seconds: 12.5, index: 'whole', saw }
console.log(JSON.stringify(found))
console.log(JSON.stringify({ name: 'events.jsonl', location: 'beside', bytes: 3 }))
if (mode === 'deaf') {
  process.on('SIGTERM', () => {})
  writeFileSync(join(asked[0], 'begun'), '')
}
if (mode === 'slow' || mode === 'deaf') setInterval(() => {}, 60_000)
if (mode === 'problem') {
  console.error(JSON.stringify({ name: 'audio.m4a', error: 'the bucket is away' }))
  process.exit(4)
}
if (mode === 'broken') {
  console.error('standin: not built yet')
  process.exit(70)
}
