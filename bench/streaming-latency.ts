/**
 * `node bench/streaming-latency.ts`: the time from a sound in the meeting to the message on the socket that contains
 * its beginning. Measures the page's tracks and the capture environment's sound server, with the same beeps at the same
 * time. A beep counts from the instant at which the mock's sender hands over its first packet; beeps begin at random,
 * so that the 100 ms of a message are met at every phase. The bot records meanwhile. Options: `--beeps 60 --mode
 * speaker_view --rate 24000`.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '@standin/base/deadline.ts'
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { silentLogger } from '../core/logger.ts'
import type { CaptureEnvironment } from '../core/ports.ts'
import { startMockGoogleMeet } from '../mock/index.ts'
import { openDriver } from '../platforms/index.ts'
import { createRecorder } from '../recorder/index.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { openStorage } from '../storage/index.ts'
import { createStreaming, type HearingStreaming } from '../streaming/index.ts'
import { FOUR_PEOPLE, passes } from '../test/end-to-end/meeting-script.ts'
import { guestOptions } from '../test/platforms/driver-options.ts'
import { Receiver } from '../test/streaming/receiver.ts'

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    beeps: { type: 'string', default: '40' },
    mode: { type: 'string', default: 'audio_only' },
    rate: { type: 'string', default: '24000' },
  },
})
const rate = Number(values.rate)
const mode = RECORDING_MODES.find((known) => known === values.mode) ?? 'audio_only'
/** Peak of a beep's first sample that counts; between beeps there is silence. */
const LOUD = 1500
const BEEP_SECONDS = 0.2

await bundlePageScripts()
const folder = mkdtempSync(join(tmpdir(), 'standin-latency-'))
const server = await startMockGoogleMeet()
const meeting = server.open('open-meeting-join-now', { people: FOUR_PEOPLE })
const target = readMeeting(meeting.url)
if ('problem' in target) throw new Error(target.problem)
const { signal } = new AbortController()
const storage = await openStorage({ type: 'folder', path: folder }, { botId: 'bench' })
const recorder = createRecorder({
  mode,
  framesPerSecond: 25,
  folder,
  logger: silentLogger,
  clock: systemClock,
  grow: (file) => storage.grow(file, signal),
  isHeardLive: true,
})
const environment = await recorder.prepare(signal)
const page = await listener(true)
const pulse = await listener(false)
const driver = await openDriver({
  ...guestOptions(server),
  recordingMode: mode,
  playout: 'live',
  audioTap: {
    mixRate: rate,
    wantsParticipantTracks: false,
    onMix: (sound) => page.streaming.onMix(sound),
    onParticipantAudio: () => {},
  },
})(target, environment, signal)
try {
  if ((await driver.join(signal)) === 'waiting_room') await driver.waitForAdmission(signal)
  await driver.prepareRecording(signal)
  await storage.prepare(signal)
  await recorder.start()
  for (const { streaming } of [page, pulse]) {
    await streaming.connect(signal)
    await streaming.start(environment satisfies CaptureEnvironment, driver)
  }
  await passes(3)
  const file = join(folder, 'beep.wav')
  const tone = `sine=frequency=1000:sample_rate=48000:duration=${BEEP_SECONDS}`
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', tone, '-af', 'volume=4', file])
  await meeting.playVoice('ann', file)
  const begun = meeting.truth.turns.length
  for (let beep = 0; beep < Number(values.beeps); beep++) {
    await passes(0.6 + Math.random() * 0.5)
    await meeting.playVoice('ann', file)
  }
  await passes(1.5)
  const sent = meeting.truth.turns.slice(begun).map(({ startedAt }) => startedAt)
  console.log(`${mode}, ${rate} Hz, ${sent.length} beeps, load ${loadavg()[0]!.toFixed(1)}; milliseconds`)
  console.log('| way | heard | median | 95 % | worst | of it waiting for the message to be full: median | 95 % |')
  console.log('|---|---|---|---|---|---|---|')
  print("the page's tracks", page.receiver, sent)
  print('the sound server', pulse.receiver, sent)
} finally {
  for (const { streaming, receiver } of [page, pulse]) {
    await streaming.close()
    await receiver.close()
  }
  await driver.close()
  await recorder.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}

async function listener(hearsPage: boolean): Promise<{ streaming: HearingStreaming; receiver: Receiver }> {
  const receiver = await Receiver.start()
  const streaming = createStreaming({
    input: null,
    output: receiver.url,
    sampleRate: rate,
    hearsPage,
    setUpMs: 20_000,
    isRequired: true,
    botId: 'bench',
    folder,
    clock: systemClock,
    logger: silentLogger,
    notice: (message) => console.log(message),
  })
  return { streaming, receiver }
}

function print(way: string, receiver: Receiver, sent: readonly number[]): void {
  const begins = beginnings(receiver)
  const heard = sent.flatMap((at) => begins.find((begin) => begin.at >= at && begin.at < at + 800) ?? [])
  const delays = sent.flatMap((at) => {
    const begin = begins.find((one) => one.at >= at && one.at < at + 800)
    return begin ? [begin.at - at] : []
  })
  const waits = heard.map(({ waitedMs }) => waitedMs)
  const cells = [
    delays.length,
    part(delays, 0.5),
    part(delays, 0.95),
    part(delays, 1),
    part(waits, 0.5),
    part(waits, 0.95),
  ]
  console.log(`| ${way} | ${cells.join(' | ')} |`)
}

function part(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
}

/** Arrival of each message in which a beep begins, and the time from the beep's first sample to the message's last. */
function beginnings(receiver: Receiver): { at: number; waitedMs: number }[] {
  let wasLoud = true
  return receiver.sounds.flatMap(({ at, samples }) => {
    const pcm = new Int16Array(samples.buffer.slice(samples.byteOffset, samples.byteOffset + samples.byteLength))
    const first = pcm.findIndex((value) => Math.abs(value) > LOUD)
    const begins = first >= 0 && !wasLoud
    wasLoud = first >= 0 && pcm.subarray(-rate / 100).some((value) => Math.abs(value) > LOUD)
    return begins ? [{ at, waitedMs: ((pcm.length - first) / rate) * 1000 }] : []
  })
}
