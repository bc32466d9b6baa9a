/**
 * `npm run bench:agent`: a talk with an agent in a whole bot. From the end of a voice to the request for an answer; and from the
 * begin of a voice that interrupts the answer to the request that cuts it, and to silence at a participant.
 *
 * `-- --platform teams` (default: meet), `-- --times 10` questions.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { OpusDecoder } from 'opus-decoder'
import { WebSocketServer } from 'ws'
import { type MockPlatformName, startMock } from '../packages/mock/index.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { BotProcess, platformArguments } from '../test/end-to-end/bot-process.ts'
import { passes, WITHOUT_CAMERAS } from '../test/end-to-end/meeting-script.ts'
import { levelIn } from '../test/platforms/shown-pages.ts'
import { markdown, withP95 } from './shared/table.ts'

const { values } = parseArgs({
  options: { platform: { type: 'string', default: 'meet' }, times: { type: 'string', default: '10' } },
})
const platform = values.platform as MockPlatformName
/** Of the answers, in hertz, and their rate. */
const TONE = 440
const RATE = 24_000
/** A second of an answer. */
const SECOND = Buffer.alloc(RATE * 2)
for (let at = 0; at < SECOND.length / 2; at++)
  SECOND.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * TONE * at) / RATE)), at * 2)
/** Of an answer; no question waits for its end. */
const SECONDS = 20
/** From the voice that asks to the one that interrupts; a time-out for each. Seconds. */
const PAUSE = 3

/** An agent's server: it answers every request at once, and notes when it gets what. */
const got: { type: string; at: number }[] = []
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
server.on('connection', (socket) => {
  const say = (event: object) => socket.send(JSON.stringify(event))
  let answers = 0
  let active: string | null = null
  const end = () => {
    if (active !== null) say({ type: 'response.done', response: { id: active, status: 'cancelled' } })
    active = null
  }
  say({ type: 'session.created', session: {} })
  socket.on('message', (data) => {
    const { type } = JSON.parse(String(data)) as { type: string }
    got.push({ type, at: Date.now() })
    if (type === 'session.update') say({ type: 'session.updated', session: {} })
    if (type === 'response.cancel') end()
    if (type !== 'response.create') return
    active = `answer_${++answers}`
    say({ type: 'response.created', response: { id: active } })
    const piece = { response_id: active, item_id: `item_${answers}`, delta: SECOND.toString('base64') }
    for (let second = 0; second < SECONDS; second++) say({ type: 'response.output_audio.delta', ...piece })
  })
})
await once(server, 'listening')
await bundlePageScripts({ goOn: true })
const folder = mkdtempSync(join(tmpdir(), 'standin-agent-'))
/** Without the silence around it, which is no speech. */
const voice = join(folder, 'voice.wav')
const spoken = join(folder, 'spoken.wav')
execFileSync('flite', ['-voice', 'slt', '-t', 'What is the next point on the list of today?', '-o', spoken])
const TRIM = 'silenceremove=start_periods=1:start_threshold=-40dB,areverse'
execFileSync('ffmpeg', ['-v', 'error', '-i', spoken, '-af', `${TRIM},${TRIM}`, voice])
const mock = await startMock(platform, { hostPort: null })
const meeting = mock.open('open', { people: WITHOUT_CAMERAS })
const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
const agent = { provider: 'openai_realtime', url, api_key: 'key', address: 'always' }
const bot = new BotProcess(mock, meeting, {
  ...{ out: folder, arguments: platformArguments(platform, meeting) },
  job: { recording_mode: 'audio_only', agent },
})
const sounds: { at: number; level: number }[] = []
try {
  await bot.whenStatus('in_call_recording')
  while (!meeting.bot.isConnected || got.length === 0) await passes(0.1)
  for (let time = 0; time <= Number(values.times); time++) {
    await passes(PAUSE)
    await meeting.playVoice('ann', voice)
    // The mock keeps ten seconds.
    sounds.push(...(await levels()))
  }
  await passes(PAUSE)
  console.log(markdown(['what', 'measured', 'goal'], rows()).join('\n'))
} finally {
  bot.kill('SIGINT')
  await bot.ended().catch(() => {})
  await mock.close()
  server.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

/** Each voice but the first interrupts the answer to the one before. */
function rows(): string[][] {
  const turns = meeting.truth.turns.map(({ startedAt, endedAt }) => ({ from: startedAt, to: endedAt! }))
  const requests = got.filter(({ type }) => type === 'response.create').map(({ at }) => at)
  const asked = turns.flatMap(({ from, to }) => {
    const last = requests.findLast((at) => at > from && at < to + PAUSE * 1000)
    return last === undefined ? [] : [last - to]
  })
  const cut: number[] = []
  const silent: number[] = []
  for (const { from, to } of turns.slice(1)) {
    const cancelled = got.find(({ type, at }) => type === 'response.cancel' && at > from)
    if (cancelled !== undefined && cancelled.at < to) cut.push(cancelled.at - from)
    const last = sounds.findLast(({ at, level }) => at > from && at < to && level > 0.05)
    if (last !== undefined) silent.push(last.at - from)
  }
  return [
    ['end of a question → request for an answer', withP95(asked), 'p95 ≤ 250 ms'],
    ['requests for each answer', (requests.length / turns.length).toFixed(1), ''],
    ['begin of an interruption → request to cut', withP95(cut), '500 ms of them speech that counts'],
    ['begin of an interruption → silence at a participant', withP95(silent), 'p95 ≤ 700 ms'],
  ]
}

async function levels(): Promise<typeof sounds> {
  const decoder = new OpusDecoder({ channels: 1 })
  await decoder.ready
  const found = meeting.bot.savedVoice().map(({ opus, at }) => {
    const { channelData, samplesDecoded } = decoder.decodeFrame(opus)
    return {
      at: performance.timeOrigin + at,
      level: levelIn(channelData[0]!.subarray(0, samplesDecoded), TONE, 48_000),
    }
  })
  decoder.free()
  return found
}
