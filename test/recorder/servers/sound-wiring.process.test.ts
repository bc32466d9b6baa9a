/** A real sound server whose streams another program leads elsewhere. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type AudioSink, startAudioSink } from '../../../recorder/servers/audio-sink.ts'
import { restoreWiring } from '../../../recorder/servers/sound-wiring.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

const home = temporaryFolder()
const { signal } = new AbortController()
let sound: AudioSink
/** Two streams of a page, the bot's own voice, and the recorder. */
const programs: ReturnType<typeof spawn>[] = []

interface Device {
  index: number
  name: string
  state: string
  mute: boolean
  volume: Record<string, { value: number }>
}
type Stream = Omit<Device, 'name'> & { sink?: number; source?: number; properties: Record<string, string> }

function pactl(...args: (string | number)[]): string {
  return execFileSync('pactl', [`--server=unix:${sound.server}`, ...args.map(String)], { encoding: 'utf8' })
}
const listed = <Kind>(kind: string) => JSON.parse(pactl('--format=json', 'list', kind)) as Kind[]

/** Where each stream leads, and what is not as loud as it could be. */
function wiring(): string[] {
  const quiet = ({ mute, volume }: Pick<Device, 'mute' | 'volume'>) =>
    mute || Object.values(volume).some(({ value }) => value < 65_536) ? ' quiet' : ''
  const [sinks, sources] = [listed<Device>('sinks'), listed<Device>('sources')]
  const nameOf = (devices: Device[], wanted?: number) => devices.find(({ index }) => index === wanted)?.name
  const streams = [...listed<Stream>('sink-inputs'), ...listed<Stream>('source-outputs')].map((stream) => {
    const end = stream.source === undefined ? nameOf(sinks, stream.sink) : nameOf(sources, stream.source)
    return `${stream.properties['application.process.binary']} ${end}${quiet(stream)}`
  })
  const devices = [...sinks, ...sources]
    .filter((device) => quiet(device) !== '' || device.state === 'SUSPENDED')
    .map((device) => `${device.name} ${device.state}${quiet(device)}`)
  return [...streams, ...devices].sort()
}
const RIGHT = ['ffmpeg meeting.monitor', 'ffmpeg own_voice', 'pacat meeting', 'pacat meeting']

beforeAll(async () => {
  sound = await startAudioSink({ home, withVoice: true, readyDeadlineMs: 20_000, signal })
  const pulse = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-f']
  const silence = ['lavfi', '-re', '-i', 'anullsrc=r=48000:cl=stereo', '-f', 'pulse', '-server', `unix:${sound.server}`]
  const record = ['pulse', '-server', `unix:${sound.server}`, '-i', sound.monitor, '-f', 'null', '-']
  const page = [`--server=unix:${sound.server}`, `--device=${sound.sink}`, '/dev/zero']
  programs.push(
    spawn('pacat', page),
    spawn('pacat', page),
    spawn('ffmpeg', [...pulse, ...silence, '-device', sound.voice!.sink, 'voice']),
    spawn('ffmpeg', [...pulse, ...record]),
  )
  await vi.waitFor(() => expect(wiring()).toEqual(RIGHT), { timeout: 60_000, interval: 200 })
  pactl('load-module', 'module-null-sink', 'sink_name=elsewhere')
})
afterAll(async () => {
  for (const program of programs) if (program.kill('SIGKILL')) await once(program, 'exit')
  await sound.process.stop()
})

const inputs = (binary: string) =>
  listed<Stream>('sink-inputs').filter(({ properties }) => properties['application.process.binary'] === binary)
const every = <Kind extends { index: number }>(streams: Kind[], ...command: (string | number)[]) => {
  for (const { index } of streams) pactl(command[0]!, index, ...command.slice(1))
}

const outputs = () => listed<Stream>('source-outputs')
const [LED, MUTED, ASLEEP] = ['its sound was led elsewhere', 'its sound was muted', 'the sound server was suspended']

test.each<[string, () => void, string[]]>([
  ['nothing', () => {}, []],
  ['all streams of the page', () => every(inputs('pacat'), 'move-sink-input', 'elsewhere'), [LED]],
  ['one of two streams', () => every(inputs('pacat').slice(1), 'move-sink-input', 'elsewhere'), [LED]],
  ["a stream in the bot's voice", () => every(inputs('pacat').slice(1), 'move-sink-input', 'own_voice'), [LED]],
  ["the bot's voice in the meeting", () => every(inputs('ffmpeg'), 'move-sink-input', 'meeting'), [LED]],
  ['the recorder', () => every(outputs(), 'move-source-output', 'elsewhere.monitor'), [LED]],
  ['a muted stream', () => every(inputs('pacat').slice(1), 'set-sink-input-mute', 1), [MUTED]],
  ['a stream without volume', () => every(inputs('pacat'), 'set-sink-input-volume', 0), [MUTED]],
  ['a muted sink', () => void pactl('set-sink-mute', 'meeting', 1), [MUTED]],
  ['a muted monitor', () => void pactl('set-source-mute', 'meeting.monitor', 1), [MUTED]],
  ['a suspended sink', () => void pactl('suspend-sink', 'meeting', 1), [ASLEEP]],
  [
    'all at once',
    () => {
      every(inputs('pacat'), 'move-sink-input', 'elsewhere')
      every(inputs('pacat'), 'set-sink-input-mute', 1)
      pactl('suspend-sink', 'meeting', 1)
    },
    [ASLEEP, LED, MUTED],
  ],
])('%s', async (_, damage, faults) => {
  damage()
  if (faults.length > 0) expect(wiring()).not.toEqual(RIGHT)
  expect(await restoreWiring(sound, signal)).toEqual(faults)
  expect(wiring()).toEqual(RIGHT)
  expect(await restoreWiring(sound, signal)).toEqual([])
})

test('a server that does not answer is not waited for', async () => {
  sound.process.signal('SIGSTOP')
  try {
    await expect(restoreWiring(sound, AbortSignal.timeout(500))).rejects.toThrow()
  } finally {
    sound.process.signal('SIGCONT')
  }
})
