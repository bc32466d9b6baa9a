/**
 * `node bench/experiments/muxers.ts`: what it costs to put an hour of encoded pictures and sound into a file, by ways to do it. The
 * encoder's output is the same for all; nothing is encoded again.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  NullTarget,
  Output,
} from 'mediabunny'
import { children, descend } from '../../recorder/mp4/boxes.ts'
import { type Fragment, FragmentReader, type Track } from '../../recorder/mp4/fragment-reader.ts'
import { feedLong, makeClips } from '../../test/media/long-recording.ts'
import { MemoryFile } from '../../test/media/spans.ts'

const SECONDS = 3600
const clips = await makeClips(12, { width: 1280, height: 720, seconds: 5, crf: 36 })
const folder = mkdtempSync(join(tmpdir(), 'standin-muxers-'))
const megabytes = Math.round(((clips.spans.reduce((sum, { length }) => sum + length, 0) / 12 / 5) * SECONDS) / 1e6)

class Nowhere extends MemoryFile {
  override async append(): Promise<void> {}
  override storedBytes(): number {
    return Number.POSITIVE_INFINITY
  }
  override async finish(makeHead: (room: number | null) => Uint8Array) {
    return { name: this.start.name, location: '', bytes: makeHead(null).length, sha256: null, crc32: '' }
  }
}

interface Cost {
  cpuSeconds: number
  finishMs: number
  note: string
}

function measured(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
}

async function ours(): Promise<Cost> {
  const cpu = measured()
  const recording = await feedLong(clips, SECONDS, async (start) => new Nowhere(start))
  const asked = performance.now()
  await recording.finish(new AbortController().signal)
  const finishMs = performance.now() - asked
  return { cpuSeconds: cpu(), finishMs, note: 'reads the stream, joins spans, writes both files' }
}

async function mediabunny(fastStart: 'reserve' | 'fragmented'): Promise<Cost> {
  const { tracks, fragments } = read(clips.spans[0]!)
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart, minimumFragmentDuration: 0.5 }),
    target: new NullTarget(),
  })
  const video = new EncodedVideoPacketSource('avc')
  const audio = new EncodedAudioPacketSource('aac')
  output.addVideoTrack(video, { frameRate: 30, maximumPacketCount: 30 * SECONDS + 100 })
  output.addAudioTrack(audio, { maximumPacketCount: 48 * SECONDS })
  await output.start()
  const decoder = decoderConfigs(tracks)
  const cpu = measured()
  let pictures = 0
  let packets = 0
  for (let clip = 0; clip < SECONDS / clips.seconds; clip++) {
    for (const { runs } of fragments) {
      for (const { track, samples } of runs) {
        for (const { data, isKey } of samples) {
          const type = isKey ? 'key' : 'delta'
          if (track.kind === 'video') {
            await video.add(new EncodedPacket(data, type, pictures++ / 30, 1 / 30), { decoderConfig: decoder.video })
          } else {
            const at = (packets++ * 1024) / 48_000
            await audio.add(new EncodedPacket(data, type, at, 1024 / 48_000), { decoderConfig: decoder.audio })
          }
        }
      }
    }
  }
  const asked = performance.now()
  await output.finalize()
  const finishMs = performance.now() - asked
  const note = fastStart === 'reserve' ? 'one file; nothing plays before the end' : 'one file; never gets an index'
  return { cpuSeconds: cpu(), finishMs, note: `${note}; stream already read` }
}

function read(span: Buffer): { tracks: Track[]; fragments: Fragment[] } {
  const fragments: Fragment[] = []
  let tracks: Track[] = []
  const reader = new FragmentReader({
    header: (header) => {
      tracks = header
    },
    fragment: (fragment) => fragments.push(fragment),
  })
  reader.push(span)
  return { tracks, fragments }
}

function decoderConfigs(tracks: Track[]): { video: VideoDecoderConfig; audio: AudioDecoderConfig } {
  const video = tracks.find(({ kind }) => kind === 'video')!
  // An entry of the sample description has 78 bytes before its own boxes.
  const entry = children(video.description.subarray(16), 'avc1')[0]!
  const avcC = descend(entry.subarray(78), 'avcC')
  const codec = `avc1.${avcC.toString('hex', 1, 4)}`
  return {
    video: { codec, codedWidth: video.width, codedHeight: video.height, description: avcC },
    audio: { codec: 'mp4a.40.2', numberOfChannels: 2, sampleRate: 48_000, description: Buffer.from([0x11, 0x90]) },
  }
}

/** The way of before: fragments on disk while the meeting runs, then ffmpeg makes the final file of them. */
function ffmpegAfterwards(): Cost {
  const { tracks, fragments } = read(clips.spans[0]!)
  if (tracks.length !== 2 || fragments.length === 0) throw new Error('no clip')
  // One span of the whole length: ffmpeg repeats one clip without decoding it.
  const clip = join(folder, 'clip.mp4')
  const file = openSync(clip, 'w')
  writeSync(file, clips.spans[0]!)
  closeSync(file)
  const fragmented = join(folder, 'fragmented.mp4')
  const copy = ['-v', 'error', '-y']
  execFileSync('ffmpeg', [
    ...[...copy, '-stream_loop', String(SECONDS / clips.seconds - 1), '-i', clip, '-c', 'copy'],
    ...['-movflags', '+delay_moov+default_base_moof', '-frag_duration', '500000', fragmented],
  ])
  const video = join(folder, 'video.mp4')
  const asked = performance.now()
  const times = [
    timed([...copy, '-i', fragmented, '-map', '0', '-c', 'copy', '-movflags', '+faststart', video]),
    timed([...copy, '-i', video, '-map', '0:a', '-c', 'copy', '-movflags', '+faststart', join(folder, 'audio.m4a')]),
  ]
  const finishMs = performance.now() - asked
  const cpuSeconds = times.reduce((sum, time) => sum + time, 0)
  const rewritten = Math.round((2 * statSync(video).size) / 1e6)
  return { cpuSeconds, finishMs, note: `${rewritten} MB written again, all after the meeting, then uploaded` }
}

/** CPU seconds of one ffmpeg. */
function timed(args: string[]): number {
  const { stderr: text, status } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time ffmpeg "$@" 2>/dev/null', 'bash', ...args],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`ffmpeg ended with ${status}`)
  return text
    .trim()
    .split(' ')
    .reduce((sum, seconds) => sum + Number(seconds), 0)
}

try {
  const rows: [string, Cost][] = [
    ['ours', await ours()],
    ['mediabunny, reserve', await mediabunny('reserve')],
    ['mediabunny, fragmented', await mediabunny('fragmented')],
    ['ffmpeg +faststart afterwards', ffmpegAfterwards()],
  ]
  console.log(`An hour of 720p at 30 frames, ${megabytes} MB.\n`)
  console.log('| way | CPU s per hour | ms at the end | what it does |')
  console.log('| --- | --- | --- | --- |')
  for (const [name, { cpuSeconds, finishMs, note }] of rows)
    console.log(`| ${name} | ${cpuSeconds.toFixed(2)} | ${Math.round(finishMs)} | ${note} |`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
