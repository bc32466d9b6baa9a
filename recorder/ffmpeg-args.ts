import { PICTURE_HEIGHT, PICTURE_WIDTH, SAMPLE_RATE } from './settings.ts'

export interface CaptureSettings {
  pulseServer: string
  /** Name of the Pulse source. */
  source: string
  /** A second source that is mixed in: the bot's own voice. Null for none. */
  voiceSource: string | null
  /** Null records sound alone. */
  picture: {
    display: string
    width: number
    height: number
    framesPerSecond: number
    /** From the instant the browser means a picture for until it stands on the display. */
    latencyMs: number
  } | null
  noiseFloorDb: number
  silenceMs: number
}

/**
 * Constant quality. Meeting pictures stand still most of the time, so that a fixed bit rate would waste space on them
 * and starve the changes; the ceiling keeps an hour of a moving shared screen bounded.
 */
const VIDEO_CRF = 24
const VIDEO_MAX_KILOBITS = 3_000
const AUDIO_KILOBITS = 128
const SECONDS_BETWEEN_KEY_FRAMES = 2
/** What a kill at the worst moment may cost. */
const FRAGMENT_MICROSECONDS = 500_000

/**
 * How sound is kept on the picture's clock. Each packet of sound has a wall-clock time; when the samples written so far
 * drift from it by more than 10 ms, they are stretched or squeezed by at most 1000 samples a second (2 %, not heard)
 * until they agree, and a hole of more than 100 ms (a stalled sound server) is filled with silence at once. What was
 * captured before the first picture is cut off to the sample.
 *
 * Pictures reach the recording late: by what the browser takes to paint, and by half a frame on average because the
 * display is looked at once a frame. Sound is delayed by the same time, so that the two differ by chance only.
 */
export const DRIFT_CORRECTION = 'aresample=async=1000:min_comp=0.01:comp_duration=1:min_hard_comp=0.1'

/**
 * Arguments of the capturing ffmpeg: a fragmented MP4 goes to standard output, progress to descriptor 3, reports to
 * standard error; `q` on standard input ends it.
 *
 * Inputs. -probesize and -analyzeduration are cut short, because probing swallows the first seconds otherwise. Sound is
 * opened first, so that it runs when the first picture is taken. Both devices stamp with the wall clock; ffmpeg would
 * set each input's first stamp to zero and lose their relation: `-isync` puts sound on the zero of the picture.
 * -fragment_size: 20 ms of sound per packet. -draw_mouse 0: no pointer. The queue of raw pictures is short, as each
 * takes 3.7 MB.
 *
 * Outputs. -fps_mode cfr: every 1/fps of a second has a picture, so that time is counted in frames. Left alone it lets
 * pictures stay two frames late for good after a busy moment (70 ms, measured); -frame_drop_threshold 0.5 drops down to
 * the nearest frame instead. superfast with
 * -bf 0 (no reordering, so that segments join without a gap). The GOP is fixed (-sc_threshold 0) for seeking and cuts.
 *
 * Container. Fragments make what is on disk playable after any kill; delay_moov writes the header with the first
 * fragment, when the encoder's priming of the sound is known; -flush_packets passes each fragment on at once.
 */
export function captureArguments(settings: CaptureSettings): string[] {
  const { picture, source, voiceSource } = settings
  const sources = voiceSource === null ? [source] : [source, voiceSource]
  // Whoever has no picture to follow follows the meeting's sound.
  const leader = picture === null ? 0 : sources.length
  const sounds = sources.flatMap((name, index) =>
    soundInput(settings.pulseServer, name, index === leader ? null : leader),
  )
  return [
    ...['-hide_banner', '-nostats', '-loglevel', 'info', '-progress', 'pipe:3', '-stats_period', '0.25'],
    ...sounds,
    ...(picture === null ? [] : pictureInput(picture)),
    ...(picture === null ? [] : ['-map', `${leader}:v`, ...videoEncoding(picture.framesPerSecond)]),
    ...soundFilters(settings),
    ...AUDIO_ENCODING,
    ...['-map_metadata', '-1', '-movflags', '+delay_moov+default_base_moof'],
    ...['-frag_duration', String(FRAGMENT_MICROSECONDS), '-flush_packets', '1', '-f', 'mp4', 'pipe:1'],
  ]
}

/** `follows` is the number of the input whose clock this one is put on. */
function soundInput(server: string, source: string, follows: number | null): string[] {
  return [
    ...['-probesize', '32', '-analyzeduration', '0', '-thread_queue_size', '1024'],
    ...['-f', 'pulse', '-server', `unix:${server}`],
    ...['-sample_rate', String(SAMPLE_RATE), '-channels', '2', '-fragment_size', String(SAMPLE_RATE * 4 * 0.02)],
    ...(follows === null ? [] : ['-isync', String(follows)]),
    ...['-i', source],
  ]
}

/** Silence is what the others do not say: the bot's own voice joins behind the detector. */
function soundFilters({ picture, voiceSource, noiseFloorDb, silenceMs }: CaptureSettings): string[] {
  const delay =
    picture === null ? [] : [`adelay=${Math.round(picture.latencyMs + 500 / picture.framesPerSecond)}:all=1`]
  const inStep = ['atrim=start=0', DRIFT_CORRECTION, ...delay].join(',')
  const silence = `silencedetect=noise=${noiseFloorDb}dB:duration=${silenceMs / 1000}`
  if (voiceSource === null) return ['-map', '0:a', '-af', `${inStep},${silence}`]
  const mix = `[0:a]${inStep},${silence}[meeting];[1:a]${inStep}[voice];[meeting][voice]amix=inputs=2:duration=first:normalize=0[mix]`
  return ['-filter_complex', mix, '-map', '[mix]']
}

function pictureInput(picture: NonNullable<CaptureSettings['picture']>): string[] {
  return [
    ...['-probesize', '32', '-analyzeduration', '0', '-thread_queue_size', '8'],
    ...['-f', 'x11grab', '-draw_mouse', '0', '-framerate', String(picture.framesPerSecond)],
    ...['-video_size', `${picture.width}x${picture.height}`, '-i', picture.display],
  ]
}

function videoEncoding(framesPerSecond: number): string[] {
  const gop = String(framesPerSecond * SECONDS_BETWEEN_KEY_FRAMES)
  return [
    ...[
      '-r',
      String(framesPerSecond),
      '-fps_mode',
      'cfr',
      '-frame_drop_threshold',
      '0.5',
      '-c:v',
      'libx264',
      '-preset',
      'superfast',
    ],
    ...['-crf', String(VIDEO_CRF), '-maxrate', `${VIDEO_MAX_KILOBITS}k`, '-bufsize', `${2 * VIDEO_MAX_KILOBITS}k`],
    ...['-bf', '0', '-g', gop, '-keyint_min', gop, '-sc_threshold', '0', '-pix_fmt', 'yuv420p'],
  ]
}

/** Shared with the silence that fills joins: packets that follow each other must be of one kind. */
export const AUDIO_ENCODING: readonly string[] = [
  ...['-c:a', 'aac', '-b:a', `${AUDIO_KILOBITS}k`, '-ar', String(SAMPLE_RATE), '-ac', '2'],
]

const QUIET = ['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'warning', '-y']
/**
 * The index goes before the data, so that a player starts while the file is still arriving. -copyts: the packet that
 * primes the sound's decoder lies before zero, and ffmpeg would move everything to make it zero.
 */
const INDEX_FIRST = ['-copyts', '-movflags', '+faststart', '-f', 'mp4']

/** One whole segment becomes the final file; nothing is encoded again. */
export function remuxArguments(input: string, output: string): string[] {
  return [...QUIET, '-i', input, '-map', '0', '-c', 'copy', ...INDEX_FIRST, output]
}

/** The sound of a file alone, as it was encoded. */
export function soundOnlyArguments(input: string, output: string): string[] {
  return [...QUIET, '-i', input, '-map', '0:a', '-c', 'copy', ...INDEX_FIRST, output]
}

/** The sound of a segment as ADTS, which is a plain row of packets. */
export function packetsArguments(input: string, output: string): string[] {
  return [...QUIET, '-i', input, '-map', '0:a', '-c', 'copy', '-copyinkf', '-f', 'adts', output]
}

/** Encoded silence as ADTS, to fill up sound that ends before its picture. */
export function silenceArguments(output: string): string[] {
  const silence = `anullsrc=sample_rate=${SAMPLE_RATE}:channel_layout=stereo`
  return [...QUIET, '-f', 'lavfi', '-t', '1', '-i', silence, ...AUDIO_ENCODING, '-f', 'adts', output]
}

/**
 * Pictures by a list of segments, stamped anew by counting them (`setts`), sound as one row of packets, of which the
 * first primes the decoder and belongs before zero.
 */
export function joinArguments(options: {
  /** The concat list, and how many pictures of it make a second; null where there is sound alone. */
  pictures: { list: string; framesPerSecond: number } | null
  packets: string
  primingSeconds: number
  output: string
}): string[] {
  const { pictures, packets, primingSeconds, output } = options
  const sound = ['-itsoffset', String(-primingSeconds), '-f', 'aac', '-i', packets]
  if (pictures === null) return [...QUIET, ...sound, '-map', '0:a', '-c', 'copy', ...INDEX_FIRST, output]
  const list = ['-f', 'concat', '-safe', '0', '-i', pictures.list]
  const count = `setts=ts=N/(${pictures.framesPerSecond}*TB)`
  const tracks = ['-map', '0:v', '-map', '1:a', '-c', 'copy', '-bsf:v', count]
  return [...QUIET, ...list, ...sound, ...tracks, ...INDEX_FIRST, output]
}

export const DEFAULT_PICTURE = { width: PICTURE_WIDTH, height: PICTURE_HEIGHT }
