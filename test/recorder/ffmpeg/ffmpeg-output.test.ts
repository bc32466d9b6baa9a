import { expect, test } from 'vitest'
import {
  type CaptureProgress,
  type CaptureReport,
  createProgressReader,
  createReportReader,
  createSoundWatch,
  isEverydayReport,
} from '../../../recorder/ffmpeg/ffmpeg-output.ts'

const PROGRESS = `frame=93
fps=30.40
stream_0_0_q=13.0
bitrate=  27.8kbits/s
total_size=10217
out_time_us=2940396
out_time_ms=2940396
out_time=00:00:02.940396
dup_frames=2
drop_frames=1
speed=0.961x
progress=continue`

function readProgress(text: string): CaptureProgress[] {
  const read: CaptureProgress[] = []
  text.split('\n').forEach(createProgressReader((progress) => read.push(progress)))
  return read
}

test('a block of progress becomes one report once it is whole', () => {
  expect(readProgress(PROGRESS.replace('\nprogress=continue', ''))).toEqual([])
  expect(readProgress(PROGRESS)).toEqual([{ frames: 93, seconds: 2.940396, repeatedFrames: 2, isLast: false }])
})

test('progress before the first packet counts as zero, with any values that ffmpeg writes for it', () => {
  const first = 'frame=0\nout_time_us=N/A\nprogress=continue\nframe=1\nout_time_us=-577014\nprogress=continue'
  expect(readProgress(first).map(({ frames, seconds }) => [frames, seconds])).toEqual([
    [0, 0],
    [1, 0],
  ])
})

test('sound alone has no frames and the last block is marked', () => {
  expect(readProgress('bitrate= 128kbits/s\nout_time_us=500000\nprogress=end')).toEqual([
    { frames: 0, seconds: 0.5, repeatedFrames: 0, isLast: true },
  ])
})

function readReports(text: string): CaptureReport[] {
  const read: CaptureReport[] = []
  text.split('\n').forEach(createReportReader((report) => read.push(report)))
  return read
}

test('the wall-clock time of each input is read from its header', () => {
  const text = `Input #0, pulse, from 'meeting.monitor':
  Duration: N/A, start: 1795233441.249654, bitrate: 1536 kb/s
  Stream #0:0: Audio: pcm_s16le, 48000 Hz, stereo, s16, 1536 kb/s
Input #1, x11grab, from ':0':
  Duration: N/A, start: 1795233441.549785, bitrate: 884736 kb/s`
  expect(readReports(text)).toEqual([
    { type: 'input_started', device: 'pulse', at: 1795233441250 },
    { type: 'input_started', device: 'x11grab', at: 1795233441550 },
  ])
})

test('silence is read with its time; other lines mean nothing', () => {
  const text = `[silencedetect @ 0x5637526d46c0] silence_start: -0.00360417
[silencedetect @ 0x5637526d46c0] silence_end: 3.90452 | silence_duration: 3.90813
[silencedetect @ 0x5637526d46c0] silence_start: 1.2e-05
  Duration: N/A, start: 12.5, bitrate: N/A
[aac @ 0x5637523fec00] Qavg: 65536.000`
  expect(readReports(text)).toEqual([
    { type: 'silence', isSilent: true, seconds: 0 },
    { type: 'silence', isSilent: false, seconds: 3.90452 },
    { type: 'silence', isSilent: true, seconds: 1.2e-5 },
  ])
})

function watchSound() {
  const changes: Array<[boolean, number]> = []
  return { changes, watch: createSoundWatch(2_000, (isAudible, seconds) => changes.push([isAudible, seconds])) }
}

test('a span is audible from its beginning when no silence was found in time', () => {
  const { changes, watch } = watchSound()
  watch.beginSpan()
  watch.progress(1.9)
  expect(changes).toEqual([])
  watch.progress(2.6)
  watch.progress(2.9)
  expect(changes).toEqual([[true, 0]])
})

test('a span that begins with silence says so and then tells each change once', () => {
  const { changes, watch } = watchSound()
  watch.beginSpan()
  watch.progress(1.9)
  watch.report(true, 0)
  watch.progress(5)
  watch.report(false, 6.25)
  watch.report(true, 9)
  expect(changes).toEqual([
    [false, 0],
    [true, 6.25],
    [false, 9],
  ])
})

test('a new span is judged again and only a difference is reported', () => {
  const { changes, watch } = watchSound()
  watch.beginSpan()
  watch.report(true, 0)
  watch.beginSpan()
  watch.report(true, 0)
  watch.beginSpan()
  watch.progress(3)
  expect(changes).toEqual([
    [false, 0],
    [true, 0],
  ])
})

test('what an encoder says while it copes is no last word; why it ends is', () => {
  const coping = [
    '*** 17 dup!',
    '*** dropping frame 89 from stream 0 at ts 88',
    'Past duration 0.833916 too large',
    '    Last message repeated 2 times',
    '[x11grab @ 0x55eba07c9740] Thread message queue blocking; consider raising the thread_queue_size option',
    '[SWR @ 0x55] compensating audio timestamp drift:0.012000 compensation:576 in:48000',
  ]
  expect(coping.filter(isEverydayReport)).toEqual(coping)
  expect(isEverydayReport('av_interleaved_write_frame(): Broken pipe')).toBe(false)
  expect(isEverydayReport('unix:/tmp/pulse/native: Connection refused')).toBe(false)
})
