/**
 * `npm run bench:page`: a page that a bot shows in a mock meeting. From its picture and its sound to a participant, and from
 * the meeting's sound to the page; what it costs the bot's browser while it stands still, and at 25 pictures a second.
 *
 * `-- --platform teams` (default: meet); `-- --seconds 20` is how long each part is measured.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { OpusDecoder } from 'opus-decoder'
import { type MockPlatformName, startMock } from '../packages/mock/index.ts'
import { openBrowser } from '../platforms/browser/browser.ts'
import { openDriver } from '../platforms/index.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { SILENT_STAGE } from '../test/platforms/conformance/ground.ts'
import { guestOptions } from '../test/platforms/driver-options.ts'
import { levelIn, PAINT, pictures, SPEAK, startPages, TONE } from '../test/platforms/shown-pages.ts'
import { measureTree } from './shared/process-tree.ts'
import { markdown, withP95 } from './shared/table.ts'

const { values } = parseArgs({
  options: { platform: { type: 'string', default: 'meet' }, seconds: { type: 'string', default: '20' } },
})
const seconds = Number(values.seconds)
/** Of a number in the bars: nine of them make four seconds. */
const TICK_MS = 8
/** What the mock keeps is read so often, in a pause: to decode it takes both cores. */
const ROUND_MS = 8000
/** Encoders begin small and slow. */
const SETTLED_MS = 8000
const NUMBERS = 512

/** The bars are the time; the tone begins once a second, and the page notes when; what it hears it notes too. */
const CLOCK = `${PAINT}
setInterval(() => { number = Math.floor(Date.now() / ${TICK_MS}) % ${NUMBERS}; paint() }, 40)
const note = (text) => fetch('/note', { method: 'POST', body: text })
${SPEAK}
gain.gain.value = 0
let isOn = false
setInterval(() => {
  isOn = !isOn
  gain.gain.value = isOn ? 0.3 : 0
  if (isOn) note('tone ' + Date.now())
}, 1000)
navigator.mediaDevices.getUserMedia({ audio: true }).then((stream) => {
  const ear = new AudioContext({ latencyHint: 'interactive' })
  const analyser = new AnalyserNode(ear, { fftSize: 256 })
  ear.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(256)
  let loudAt = 0
  setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    if (Math.max(...samples.map(Math.abs)) < 0.05) return
    if (Date.now() - loudAt > 1000) note('heard ' + Date.now())
    loudAt = Date.now()
  }, 4)
})`

await bundlePageScripts()
const server = await startMock(values.platform as MockPlatformName, { hostPort: null })
const pages = await startPages({ '/clock': CLOCK })
const meeting = server.open('open', { speed: 1 })
const signal = new AbortController().signal
let processId = 0
const jitsiHosts = values.platform === 'jitsi' ? [new URL(meeting.url).host] : []
const target = readMeeting(meeting.url, { jitsiHosts })
if (!('url' in target)) throw new Error(`This is no link of a meeting: ${meeting.url}`)
const open = openDriver({
  ...guestOptions(server),
  ...{ mayShow: () => true, talks: true },
  openBrowser: async (...given) => {
    const browser = await openBrowser(...given)
    processId = browser.processId ?? 0
    return browser
  },
})
const driver = await open(target, SILENT_STAGE, signal)
try {
  if ((await driver.join(signal)) === 'waiting_room') await driver.waitForAdmission(signal)
  while (!meeting.bot.isConnected) await delay(100)
  const rows = [await cost('no page'), ...(await delays())]
  for (const [name, path] of [
    ['a page that stands still', '/still'],
    ['25 pictures a second, a tone', '/moving'],
  ] as const) {
    const page = await show(path)
    rows.push(await cost(name))
    await page.close()
  }
  console.log(markdown(['what', 'measured', 'goal'], rows).join('\n'))
} finally {
  await driver.close()
  await server.close()
  pages.close()
}
process.exit(0)

async function show(path: string) {
  const listener = { firstNews: () => [], onSound: () => {}, onCall: async () => null, onEnded: console.error }
  const page = await driver.showPage('camera', pages.address(path), listener)
  await delay(SETTLED_MS)
  return page
}

async function cost(name: string): Promise<string[]> {
  const measured = measureTree(() => [processId])
  await delay(seconds * 1000)
  const { cores, megabytes, roles } = measured()
  const parts = [...roles].filter(([, share]) => share >= 0.01).map(([role, share]) => `${role} ${share.toFixed(2)}`)
  return [`the browser, ${name}`, `${cores.toFixed(2)} cores (${parts.join(', ')}), ${megabytes.toFixed(0)} MB`, '']
}

async function delays(): Promise<string[][]> {
  const page = await show('/clock')
  meeting.flashAndBeep(true)
  while (meeting.truth.beeps.length === 0) await delay(100)
  // Its sounds and pictures are encoded before.
  await delay(SETTLED_MS)
  const settledAt = Date.now()
  await delay(seconds * 1000)
  meeting.flashAndBeep(false)
  const heard = timesOf('heard')
  const beeps = meeting.truth.beeps.flatMap((sent) => {
    if (sent < settledAt) return []
    const at = heard.find((time) => time > sent && time < sent + 1000)
    return at === undefined ? [] : [at - sent]
  })
  const pictureDelays: number[] = []
  const toneDelays: number[] = []
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    const begun = Date.now()
    await delay(ROUND_MS)
    pictureDelays.push(...(await delaysOfPictures(begun)))
    toneDelays.push(...(await delaysOfTones(begun)))
    await delay(ROUND_MS / 4)
  }
  await page.close()
  return [
    ['its picture → the participant', withP95(pictureDelays), 'p95 ≤ 150 ms'],
    ['its tone → the participant', withP95(toneDelays), 'p95 ≤ 150 ms'],
    ["the meeting's beep → the page", withP95(beeps), '≤ 120 ms'],
  ]
}

function timesOf(word: string): number[] {
  return pages.notes.flatMap((note) => (note.startsWith(`${word} `) ? [Number(note.split(' ')[1])] : []))
}

async function delaysOfPictures(from: number): Promise<number[]> {
  const times = meeting.bot.cameraTimes().map((at) => performance.timeOrigin + at)
  const { numbers } = await pictures(meeting.bot)
  return numbers.flatMap((number, index) => {
    const at = times[index]
    // Painted within the tick: its middle. A picture that repeats the one before is no new one.
    if (number === null || at === undefined || at < from || number === numbers[index - 1]) return []
    return [positive(at / TICK_MS - number - 0.5) * TICK_MS]
  })
}

/** Ticks modulo the numbers there are. */
function positive(ticks: number): number {
  return ((ticks % NUMBERS) + NUMBERS) % NUMBERS
}

async function delaysOfTones(from: number): Promise<number[]> {
  const packets = meeting.bot.savedVoice()
  const decoder = new OpusDecoder({ channels: 1 })
  await decoder.ready
  const levels = packets.map(({ opus, at }) => {
    const { channelData, samplesDecoded } = decoder.decodeFrame(opus)
    return {
      at: performance.timeOrigin + at,
      level: levelIn(channelData[0]!.subarray(0, samplesDecoded), TONE, 48_000),
    }
  })
  decoder.free()
  return timesOf('tone').flatMap((begun) => {
    if (begun < from) return []
    const first = levels.find(({ at, level }) => at > begun && at < begun + 900 && level > 0.1)
    return first === undefined ? [] : [first.at - begun]
  })
}
