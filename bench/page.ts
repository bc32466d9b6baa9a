/**
 * `npm run bench:page`: a page that a bot shows in the mock Google Meet. From its picture and its sound to a participant, and from
 * the meeting's sound to the page; what it costs the bot's browser while it stands still, and at 25 pictures a second.
 *
 * `-- --seconds 20` is how long each part is measured.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { OpusDecoder } from 'opus-decoder'
import { startMockGoogleMeet } from '../packages/mock/index.ts'
import { openBrowser } from '../platforms/browser/browser.ts'
import { openGoogleMeet } from '../platforms/google-meet/driver.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { median } from '../test/media/statistics.ts'
import { SILENT_STAGE } from '../test/platforms/conformance/ground.ts'
import { guestOptions } from '../test/platforms/driver-options.ts'
import { levelIn, PAINT, pictures, SPEAK, startPages, TONE } from '../test/platforms/shown-pages.ts'
import { measureTree } from './shared/process-tree.ts'
import { markdown } from './shared/table.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } })
const seconds = Number(values.seconds)
/** Of a number in the bars: nine of them make four seconds. */
const TICK_MS = 8
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
const server = await startMockGoogleMeet({ hostPort: null })
const pages = await startPages({ '/clock': CLOCK })
const meeting = server.open('open', { speed: 1 })
const signal = new AbortController().signal
let processId = 0
const driver = await openGoogleMeet(
  { platform: 'meet', url: `${meeting.url}?hl=en`, meetingId: new URL(meeting.url).pathname.slice(1) },
  SILENT_STAGE,
  signal,
  {
    ...guestOptions(server),
    mayShow: () => true,
    openBrowser: async (...given) => {
      const browser = await openBrowser(...given)
      processId = browser.processId ?? 0
      return browser
    },
  },
)
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
  const { cores, megabytes } = measured()
  return [`the browser, ${name}`, `${cores.toFixed(2)} cores, ${megabytes.toFixed(0)} MB`, '']
}

async function delays(): Promise<string[][]> {
  const page = await show('/clock')
  const pictureDelays: number[] = []
  const toneDelays: number[] = []
  meeting.flashAndBeep(true)
  while (meeting.truth.beeps.length === 0) await delay(100)
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    await delay(2000)
    pictureDelays.push(...(await delaysOfPictures()))
    toneDelays.push(...(await delaysOfTones()))
  }
  const heard = timesOf('heard')
  const beeps = meeting.truth.beeps.flatMap((sent) => {
    const at = heard.find((time) => time > sent && time < sent + 1000)
    return at === undefined ? [] : [at - sent]
  })
  await page.close()
  return [
    ['its picture → the participant', shown(pictureDelays), 'p95 ≤ 150 ms'],
    ['its tone → the participant', shown(toneDelays), 'p95 ≤ 150 ms'],
    ["the meeting's beep → the page", shown(beeps), '≤ 120 ms'],
  ]
}

function timesOf(word: string): number[] {
  return pages.notes.flatMap((note) => (note.startsWith(`${word} `) ? [Number(note.split(' ')[1])] : []))
}

async function delaysOfPictures(): Promise<number[]> {
  const times = meeting.bot.cameraTimes().map((at) => performance.timeOrigin + at)
  const { numbers } = await pictures(meeting.bot)
  return numbers.slice(-50).flatMap((number, index, last) => {
    const at = times[numbers.length - last.length + index]
    // Painted within the tick: its middle. A picture that repeats the one before is no new one.
    if (number === null || at === undefined || number === last[index - 1]) return []
    return [positive(at / TICK_MS - number - 0.5) * TICK_MS]
  })
}

/** Ticks modulo the numbers there are. */
function positive(ticks: number): number {
  return ((ticks % NUMBERS) + NUMBERS) % NUMBERS
}

async function delaysOfTones(): Promise<number[]> {
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
    const first = levels.find(({ at, level }) => at > begun && at < begun + 900 && level > 0.1)
    return first === undefined ? [] : [first.at - begun]
  })
}

function shown(all: readonly number[]): string {
  const p95 = all.toSorted((one, other) => one - other)[Math.floor(all.length * 0.95)] ?? Number.NaN
  return `${median(all).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (${all.length})`
}
