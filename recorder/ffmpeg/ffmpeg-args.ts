import { CAPTURE_SAMPLE_RATE } from '../../packages/core/meeting/capture-sample-rate.ts'

type Picture = NonNullable<CaptureSettings['picture']>

export interface CaptureSettings {
  pulseServer: string
  /** Name of the Pulse source. */
  source: string
  /** A second source that is mixed in: the bot's own voice. Null for none. */
  voiceSource: string | null
  /** Null records sound alone. */
  picture: {
    /** A display, or the path of a file of frames (`CaptureEnvironment.frames`). */
    from: { display: string } | { frames: string }
    width: number
    height: number
    framesPerSecond: number
    /** How much later the browser's pictures are there than their sound is heard; below zero if that is later. */
    latencyMs: number
  } | null
  noiseFloorDb: number
  silenceMs: number
  /** It is not known yet from when on it counts: for a while it can be cut at nearly any picture. */
  standsBy?: boolean
}

/**
 * Constant quality. Meeting pictures do not move most of the time: a fixed bit rate would waste space on them and leave
 * too little for the changes. The ceiling bounds the size of an hour of a moving shared screen.
 */
const VIDEO_CRF = 24
const VIDEO_MAX_KILOBITS = 3_000
const AUDIO_KILOBITS = 128
const SECONDS_BETWEEN_KEY_FRAMES = 2
/** While it stands by, and so long after its start; each costs about what ten other pictures do. */
const SECONDS_BETWEEN_CUTS = 0.2
const SECONDS_WITH_CUTS = 90
/** A sample of two channels of 16 bits. */
const BYTES_PER_FRAME = 4
/** Beside a picture sound comes in small pieces; alone nothing waits for it. */
const PIECE_MS = 20
const PIECE_ALONE_MS = 100
/** The most that a kill at the worst moment may lose. */
const FRAGMENT_MICROSECONDS = 500_000

/**
 * How sound is kept on the picture's clock. Each packet of sound has a wall-clock time. When the samples written so far
 * drift from it by more than 2 ms (these times themselves vary by 1 ms), they are stretched or squeezed by at most 1000
 * samples a second (2 %, not audible) until they agree. A hole of more than 100 ms (a stalled sound server) is filled
 * with silence at once. Sound from before the first picture is cut off to the sample.
 *
 * Pictures reach the recording late: by what the browser takes to paint, and by half a frame on average because the
 * display is looked at once a frame. Sound is delayed by the same time, so that the two differ by chance only.
 */
export const DRIFT_CORRECTION = 'aresample=async=1000:min_comp=0.002:comp_duration=1:min_hard_comp=0.1'

/**
 * Arguments of the capturing ffmpeg: a fragmented MP4 goes to standard output, progress to descriptor 3, reports to
 * standard error; `q` on standard input ends it. Only at -loglevel verbose does it report how long a picture was repeated and
 * how sound was corrected, which quality.ts counts.
 *
 * Inputs. Probing is cut short, because it swallows the first seconds otherwise. Sound is opened first, so that it runs when
 * the first picture is taken. Both devices stamp with the wall clock; ffmpeg would set each input's first stamp to zero and
 * lose their relation: `-isync` puts sound on the zero of the picture. -fragment_size: sound per packet, at each of which the
 * sound server wakes up too. -draw_mouse 0: no pointer. The queue of raw pictures is short, as each takes 3.7 MB on a display
 * and 1.4 MB in a file.
 *
 * Outputs. -fps_mode cfr: every 1/fps of a second has a picture, so that time is counted in frames. By default, pictures
 * stay two frames late for good after a busy moment (70 ms, measured); -frame_drop_threshold 0.5 drops down to the nearest
 * frame instead. The preset is superfast, without the search for fractions of a pixel (-subq 0: a tenth less work, on
 * meetings the same size) and with -bf 0 (no reordering, so that spans join without a gap). The GOP is fixed
 * (-sc_threshold 0) for seeking and cuts.
 * -threads 1: more of them hold more memory, and each holds back a picture that a kill takes with it. One encodes noise at six
 * times the speed of the recording.
 *
 * Colors. ffmpeg has a special conversion from 24 bits a pixel to YUV that takes less than half the work of its general
 * one (6 against 14 million cycles for a picture, bench/notes/2026-11-22-ways-to-capture.md), so pictures of a display are
 * converted to bgr24 first. The matrix is always that of BT.601 and is written into the stream, because players take
 * unmarked pictures of this size for BT.709. Frames of the page come in the encoder's pixel format. Both say that pixels
 * are square (`setsar`): the browser that replaces a crashed one may paint the other way, and one file has the same
 * settings throughout.
 *
 * Container. Each fragment is stored as it comes, so that a kill costs half a second; delay_moov writes the header with
 * the first fragment, when the encoder's priming of the sound is known; -flush_packets passes each fragment on at once.
 */
export function captureArguments(settings: CaptureSettings): string[] {
  const { picture, source, voiceSource } = settings
  const sources = voiceSource === null ? [source] : [source, voiceSource]
  // Without a picture, the meeting's sound is the clock that the other inputs follow.
  const leader = picture === null ? 0 : sources.length
  const pieceMs = picture === null ? PIECE_ALONE_MS : PIECE_MS
  const sounds = sources.flatMap((name, index) =>
    soundInput(settings.pulseServer, { name, pieceMs, follows: index === leader ? null : leader }),
  )
  return [
    ...['-hide_banner', '-nostats', '-loglevel', 'verbose', '-progress', 'pipe:3', '-stats_period', '0.25'],
    ...sounds,
    ...(picture === null ? [] : pictureInput(picture)),
    ...(picture === null ? [] : ['-map', `${leader}:v`, ...videoEncoding(picture), ...cuts(settings)]),
    ...soundFilters(settings),
    ...AUDIO_ENCODING,
    ...['-map_metadata', '-1', '-movflags', '+delay_moov+default_base_moof'],
    ...['-frag_duration', String(FRAGMENT_MICROSECONDS), '-flush_packets', '1', '-f', 'mp4', 'pipe:1'],
  ]
}

/** `follows` is the number of the input whose clock this one is put on. */
function soundInput(
  server: string,
  { name, pieceMs, follows }: { name: string; pieceMs: number; follows: number | null },
): string[] {
  return [
    ...['-probesize', '32', '-analyzeduration', '0', '-thread_queue_size', '1024'],
    ...['-f', 'pulse', '-server', `unix:${server}`],
    ...['-sample_rate', String(CAPTURE_SAMPLE_RATE), '-channels', '2'],
    ...['-fragment_size', String((CAPTURE_SAMPLE_RATE * BYTES_PER_FRAME * pieceMs) / 1000)],
    ...(follows === null ? [] : ['-isync', String(follows)]),
    ...['-i', name],
  ]
}

/** Silence is what the others do not say: the bot's own voice joins behind the detector. */
function soundFilters({ picture, voiceSource, noiseFloorDb, silenceMs }: CaptureSettings): string[] {
  const delay =
    picture === null
      ? []
      : [`adelay=${Math.max(0, Math.round(picture.latencyMs + 500 / picture.framesPerSecond))}:all=1`]
  // Next to free; it tells at the end how much of the sound is at its limit.
  const level = 'volumedetect'
  const inStep = ['atrim=start=0', DRIFT_CORRECTION, ...delay].join(',')
  const silence = `silencedetect=noise=${noiseFloorDb}dB:duration=${silenceMs / 1000}`
  if (voiceSource === null) return ['-map', '0:a', '-af', `${level},${inStep},${silence}`]
  const mix = `[0:a]${level},${inStep},${silence}[meeting];[1:a]${inStep}[voice];[meeting][voice]amix=inputs=2:duration=first:normalize=0[mix]`
  return ['-filter_complex', mix, '-map', '[mix]']
}

function pictureInput(picture: Picture): string[] {
  const { from, width, height, framesPerSecond } = picture
  const reading = ['-probesize', '32', '-analyzeduration', '0', '-thread_queue_size', '8']
  if ('frames' in from)
    return [...reading, '-fpsprobesize', '0', '-f', 'lavfi', '-i', frameReader(from.frames, picture)]
  return [
    ...[...reading, '-f', 'x11grab', '-draw_mouse', '0', '-framerate', String(framesPerSecond)],
    ...['-video_size', `${width}x${height}`, '-i', from.display],
  ]
}

/**
 * Reads the one frame of the file again and again, at the pace of the recording, and stamps it with the wall clock as a
 * device does. `realtime` holds each frame until its time: only the first is passed on at once, and each of the others was
 * read one frame before its stamp. The second, read together with the first, is left out by -fps_mode cfr, since a stream
 * of no known rate has frames of no length; after that each frame has in the file the time at which it was read.
 */
function frameReader(path: string, { width, height, framesPerSecond }: Picture): string {
  const format = `video_size=${width}x${height}:pixel_format=yuv420p:framerate=${framesPerSecond}`
  return [
    `movie=filename=${filterValue(path)}:f=rawvideo:format_opts=${filterValue(format)}:loop=0`,
    ...['settb=AVTB', `setpts=N/${framesPerSecond}/TB`, 'realtime', 'setpts=RTCTIME'],
  ].join(',')
}

/** Any text as the value of a filter's option: once for the option, once for the graph around it. */
function filterValue(text: string): string {
  return text.replace(/[\\':]/g, '\\$&').replace(/[\\'[\],;]/g, '\\$&')
}

function videoEncoding({ from, framesPerSecond }: Picture): string[] {
  const gop = String(framesPerSecond * SECONDS_BETWEEN_KEY_FRAMES)
  return [
    ...('frames' in from ? [] : ['-filter_threads', '1', '-vf', 'format=bgr24,format=yuv420p,setsar=1']),
    ...['-r', String(framesPerSecond), '-fps_mode', 'cfr', '-frame_drop_threshold', '0.5'],
    ...['-c:v', 'libx264', '-preset', 'superfast', '-subq', '0', '-threads', '1'],
    ...['-crf', String(VIDEO_CRF), '-maxrate', `${VIDEO_MAX_KILOBITS}k`, '-bufsize', `${2 * VIDEO_MAX_KILOBITS}k`],
    ...['-bf', '0', '-g', gop, '-keyint_min', gop, '-sc_threshold', '0', '-pix_fmt', 'yuv420p'],
    ...['-colorspace', 'smpte170m', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
  ]
}

function cuts({ standsBy = false }: CaptureSettings): string[] {
  if (!standsBy) return []
  const isDue = `gte(t,n_forced*${SECONDS_BETWEEN_CUTS})`
  return ['-force_key_frames', `expr:if(lt(t,${SECONDS_WITH_CUTS}),${isDue},0)`]
}

/**
 * Stereo always: silence between spans is a packet of that kind. At this rate the fast coder takes a third of the other's
 * time for speech, and comes nearer to it (bench/notes/2026-11-22-ways-to-capture.md).
 */
const AUDIO_ENCODING: readonly string[] = [
  ...[
    '-c:a',
    'aac',
    '-aac_coder',
    'fast',
    '-b:a',
    `${AUDIO_KILOBITS}k`,
    '-ar',
    String(CAPTURE_SAMPLE_RATE),
    '-ac',
    '2',
  ],
]
