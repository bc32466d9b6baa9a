import { expect, test } from 'vitest'
import { type CaptureSettings, captureArguments } from '../../../recorder/ffmpeg/ffmpeg-args.ts'

const SETTINGS: CaptureSettings = {
  pulseServer: '/work folder/pulse/native',
  source: 'meeting.monitor',
  voiceSource: null,
  picture: { from: { display: ':7' }, width: 1280, height: 720, framesPerSecond: 25, latencyMs: 30 },
  noiseFloorDb: -50,
  silenceMs: 2_000,
}

/** The value that follows a flag; several when it is given several times. */
function values(args: readonly string[], flag: string): string[] {
  return args.flatMap((arg, index) => (arg === flag ? [args[index + 1] ?? ''] : []))
}

test('sound is opened first and put on the clock of the picture', () => {
  const args = captureArguments(SETTINGS)
  expect(values(args, '-i')).toEqual(['meeting.monitor', ':7'])
  expect(values(args, '-isync')).toEqual(['1'])
  expect(args.indexOf('-isync')).toBeLessThan(args.indexOf('-i'))
  expect(values(args, '-server')).toEqual(['unix:/work folder/pulse/native'])
})

test('probing is cut short for both inputs', () => {
  const args = captureArguments(SETTINGS)
  expect(values(args, '-probesize')).toEqual(['32', '32'])
  expect(values(args, '-analyzeduration')).toEqual(['0', '0'])
})

test('frame rate, key frames every two seconds and the delay of sound follow the settings', () => {
  const args = captureArguments(SETTINGS)
  expect(values(args, '-framerate')).toEqual(['25'])
  expect(values(args, '-r')).toEqual(['25'])
  expect(values(args, '-g')).toEqual(['50'])
  expect(values(args, '-af')[0]).toContain('adelay=50:all=1')
  expect(values(args, '-af')[0]).toContain('silencedetect=noise=-50dB:duration=2')
})

test('sound that comes later than its picture by itself is not delayed', () => {
  const args = captureArguments({ ...SETTINGS, picture: { ...SETTINGS.picture!, latencyMs: -30 } })
  expect(values(args, '-af')[0]).toContain('adelay=0:all=1')
})

test('frames of a file are read at the pace of the recording, without a conversion of colors', () => {
  const picture = { ...SETTINGS.picture!, from: { frames: "/tmp/a'b:c,[d];e\\f/frames" } }
  const args = captureArguments({ ...SETTINGS, picture })
  expect(args).not.toContain('x11grab')
  expect(args).not.toContain('-vf')
  expect(values(args, '-isync')).toEqual(['1'])
  const [, graph] = values(args, '-i')
  expect(graph).toContain(String.raw`filename=/tmp/a\\\'b\\:c\,\[d\]\;e\\\\f/frames:f=rawvideo:`)
  expect(graph).toContain('loop=0,settb=AVTB,setpts=N/25/TB,realtime,setpts=RTCTIME')
})

test('sound alone needs no display, no clock to follow and no delay', () => {
  const args = captureArguments({ ...SETTINGS, picture: null })
  expect(values(args, '-i')).toEqual(['meeting.monitor'])
  expect(args).not.toContain('x11grab')
  expect(args).not.toContain('-isync')
  expect(args).not.toContain('libx264')
  expect(values(args, '-af')[0]).not.toContain('adelay')
  expect(Number(values(args, '-fragment_size')[0])).toBeGreaterThan(
    Number(values(captureArguments(SETTINGS), '-fragment_size')[0]),
  )
})

test("the bot's own voice follows the same clock and is mixed in behind the silence detector", () => {
  const args = captureArguments({ ...SETTINGS, voiceSource: 'own_voice.monitor' })
  expect(values(args, '-i')).toEqual(['meeting.monitor', 'own_voice.monitor', ':7'])
  expect(values(args, '-isync')).toEqual(['2', '2'])
  expect(values(args, '-map')).toEqual(['2:v', '[mix]'])
  expect(values(args, '-filter_complex')[0]).toMatch(/silencedetect[^;]*\[meeting\];.*amix=inputs=2/)
  const soundAlone = captureArguments({ ...SETTINGS, picture: null, voiceSource: 'own_voice.monitor' })
  expect(values(soundAlone, '-isync')).toEqual(['0'])
})
