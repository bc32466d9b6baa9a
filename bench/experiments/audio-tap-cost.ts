/**
 * `node bench/experiments/audio-tap-cost.ts`: the cost of capturing the meeting's audio in its page, in cores, compared
 * with the capture from the sound server. One person speaks all the time; the browser's processes are measured for
 * `--seconds` (20) each way.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '@standin/base/deadline.ts'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { silentLogger } from '../../core/logger.ts'
import type { AudioTap } from '../../core/ports.ts'
import { startMockGoogleMeet } from '../../mock/index.ts'
import { openDriver } from '../../platforms/index.ts'
import { createRecorder } from '../../recorder/index.ts'
import { bundlePageScripts } from '../../scripts/build.ts'
import { captureSink } from '../../streaming/pulse.ts'
import { FOUR_PEOPLE, passes } from '../../test/end-to-end/meeting-script.ts'
import { guestOptions } from '../../test/platforms/driver-options.ts'

const TICKS_PER_SECOND = 100
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } })
const seconds = Number(values.seconds)

await bundlePageScripts()
const server = await startMockGoogleMeet()
const folder = mkdtempSync(join(tmpdir(), 'standin-ears-'))
const { signal } = new AbortController()
try {
  console.log(`audio_only, ${seconds} s each, load ${loadavg()[0]!.toFixed(1)}`)
  console.log('| way | browser, cores | ffmpeg, cores |')
  console.log('|---|---|---|')
  await measure('no listener', null, false)
  await measure('the sound server', null, true)
  await measure("the page's tracks, mixed", { mixRate: 24_000, wantsParticipantTracks: false }, false)
  await measure("the page's tracks, each voice", { mixRate: null, wantsParticipantTracks: true }, false)
} finally {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(
  way: string,
  wish: Pick<AudioTap, 'mixRate' | 'wantsParticipantTracks'> | null,
  byStage: boolean,
): Promise<void> {
  const meeting = server.open('open-meeting-join-now', { people: FOUR_PEOPLE })
  const target = readMeeting(meeting.url)
  if ('problem' in target) throw new Error(target.problem)
  const recorder = createRecorder({
    mode: 'audio_only',
    framesPerSecond: 25,
    folder,
    logger: silentLogger,
    clock: systemClock,
    grow: () => Promise.reject(new Error('Nothing is recorded here')),
    isHeardLive: wish !== null || byStage,
  })
  const stage = await recorder.prepare(signal)
  let heard = 0
  const audioTap = wish && { ...wish, onMix: () => void heard++, onParticipantAudio: () => void heard++ }
  const driver = await openDriver({
    ...guestOptions(server),
    audioTap,
  })(target, stage, signal)
  const child = byStage ? await captureSink(stage, 24_000, folder, () => heard++) : null
  try {
    if ((await driver.join(signal)) === 'waiting_room') await driver.waitForAdmission(signal)
    await driver.prepareRecording(signal)
    meeting.startSpeaking('ann')
    await passes(5)
    const before = [usedSeconds('chromium'), usedSeconds('ffmpeg')]
    await passes(seconds)
    const [browser, ffmpeg] = [usedSeconds('chromium'), usedSeconds('ffmpeg')].map((now, index) => now - before[index]!)
    if (way !== 'no listener' && heard === 0) throw new Error(`No audio arrived: ${way}`)
    console.log(`| ${way} | ${(browser! / seconds).toFixed(3)} | ${(ffmpeg! / seconds).toFixed(3)} |`)
  } finally {
    await driver.close()
    await child?.stop()
    await recorder.close()
  }
}

/** CPU seconds so far of this process's descendants with this program. */
function usedSeconds(program: string): number {
  const all = readdirSync('/proc').flatMap((id) => {
    const [, name, rest] = /^\d+ \((.*)\) (.*)/s.exec(readOrEmpty(`/proc/${id}/stat`)) ?? []
    const fields = rest?.split(' ')
    if (name === undefined || fields === undefined) return []
    return [{ id: Number(id), name, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }]
  })
  const ours = new Set([process.pid])
  for (let size = 0; size !== ours.size; ) {
    size = ours.size
    for (const { id, parent } of all) if (ours.has(parent)) ours.add(id)
  }
  const used = all.filter(({ id, name }) => ours.has(id) && name.startsWith(program))
  return used.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
