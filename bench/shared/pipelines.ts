/**
 * How other bots record, as they publish it: the window they open, and their encoder with its arguments. Each is run
 * unchanged, with its own size, frame rate and quality: these differences are a part of its cost.
 */

export interface Inputs {
  display: string
  /** Of the sound server, for `-server`. */
  pulseServer: string
  source: string
  folder: string
}

export interface Pipeline {
  name: string
  note: string
  program: 'ffmpeg' | 'gst-launch-1.0'
  window: { width: number; height: number }
  framesPerSecond: number
  arguments_(inputs: Inputs): string[]
  /** Runs of ffmpeg after the recording until the file is ready, one after the other; the last one writes `final.mp4`. */
  afterwards(folder: string): string[][]
}

const sound = ({ pulseServer, source }: Inputs) => ['-f', 'pulse', '-server', `unix:${pulseServer}`, '-i', source]

/** Attendee: https://github.com/attendee-labs/attendee, its recorder by x11grab. */
const attendee: Pipeline = {
  name: 'Attendee',
  note: '1930×1090 at 30, cropped to 1080p, x264 ultrafast, AAC 128k; then remuxed to be seekable',
  program: 'ffmpeg',
  window: { width: 1930, height: 1090 },
  framesPerSecond: 30,
  arguments_: (inputs) => [
    ...['-thread_queue_size', '4096', '-framerate', '30', '-video_size', '1930x1090', '-f', 'x11grab'],
    ...['-draw_mouse', '0', '-probesize', '32', '-i', inputs.display],
    ...['-thread_queue_size', '4096', ...sound(inputs)],
    ...['-vf', 'crop=1920:1080:10:10', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30'],
    ...['-c:a', 'aac', '-strict', 'experimental', '-b:a', '128k', `${inputs.folder}/raw.mp4`],
  ],
  afterwards: (folder) => [['-i', `${folder}/raw.mp4`, '-c', 'copy', '-movflags', '+faststart', `${folder}/final.mp4`]],
}

/** MeetingBaaS: https://github.com/Meeting-BaaS/meet-teams-bot, one ffmpeg with four outputs. */
const meetingBaas: Pipeline = {
  name: 'MeetingBaaS',
  note: '1280×880 at 30, cropped to 720p, x264 fast crf 23; FLAC, pictures and raw sound beside; then muxed and trimmed',
  program: 'ffmpeg',
  window: { width: 1280, height: 880 },
  framesPerSecond: 30,
  arguments_: (inputs) => [
    ...['-f', 'x11grab', '-video_size', '1280x880', '-framerate', '30', '-i', inputs.display],
    ...['-thread_queue_size', '4096', ...sound(inputs)],
    ...['-map', '0:v:0', '-c:v', 'libx264', '-preset', 'fast', '-crf', '23', '-profile:v', 'main', '-level', '4.0'],
    ...['-pix_fmt', 'yuv420p', '-g', '30', '-keyint_min', '30', '-bf', '0', '-refs', '1', '-vf', 'crop=1280:720:0:160'],
    ...['-avoid_negative_ts', 'make_zero', '-f', 'mp4', `${inputs.folder}/raw.mp4`],
    ...['-map', '1:a:0', '-vn', '-sample_fmt', 's16', '-ac', '1', '-ar', '44100', `${inputs.folder}/raw.flac`],
    ...['-map', '0:v:0', '-vf', 'fps=0.2,crop=1280:720:0:160,scale=480:270', '-q:v', '3', '-f', 'image2'],
    ...[`${inputs.folder}/shot_%4d.png`],
    ...['-map', '1:a:0', '-acodec', 'pcm_f32le', '-ac', '1', '-ar', '24000', '-f', 'f32le', '/dev/null'],
  ],
  afterwards: (folder) => [
    [
      ...['-i', `${folder}/raw.mp4`, '-i', `${folder}/raw.flac`, '-map', '0:v', '-map', '1:a', '-c:v', 'copy'],
      ...['-c:a', 'aac', '-b:a', '192k', '-shortest', `${folder}/merged.mp4`],
    ],
    ['-i', `${folder}/merged.mp4`, '-c', 'copy', '-movflags', '+faststart', `${folder}/final.mp4`],
    ['-i', `${folder}/final.mp4`, '-vn', '-c:a', 'flac', '-ac', '1', '-ar', '16000', `${folder}/sound.flac`],
  ],
}

/** meetingbot: https://github.com/meetingbot/meetingbot */
const meetingbot: Pipeline = {
  name: 'meetingbot',
  note: '1920×1080 scaled to 720p at 25, x264 veryfast crf 28, AAC 128k',
  program: 'ffmpeg',
  window: { width: 1920, height: 1080 },
  framesPerSecond: 25,
  arguments_: (inputs) => [
    ...['-f', 'x11grab', '-video_size', '1920x1080', '-framerate', '25', '-i', inputs.display],
    ...sound(inputs),
    ...['-vf', 'scale=1280:720', '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '28', '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart', `${inputs.folder}/final.mp4`],
  ],
  afterwards: () => [],
}

/** So much may wait between two elements. */
const GST_QUEUE = 'queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0'

/**
 * LiveKit Egress: https://github.com/livekit/egress (pkg/pipeline/builder), its recording of a web page as it is built for
 * the preset H264_720P_30. Debian has no `faac`, so that another encoder makes the AAC.
 */
const livekit: Pipeline = {
  name: 'LiveKit Egress',
  note: '720p at 30, x264 veryfast 3000 kb/s, AAC 128k, by GStreamer',
  program: 'gst-launch-1.0',
  window: { width: 1280, height: 720 },
  framesPerSecond: 30,
  arguments_: ({ display, pulseServer, source, folder }) =>
    [
      `mp4mux name=file ! filesink location=${folder}/final.mp4 sync=false`,
      `ximagesrc display-name=${display} use-damage=false show-pointer=false ! ${GST_QUEUE} leaky=downstream`,
      '! videoconvert ! videorate skip-to-first=true ! video/x-raw,framerate=30/1 ! tee',
      `! ${GST_QUEUE} ! x264enc speed-preset=veryfast vbv-buf-capacity=2000 bitrate=3000 ! video/x-h264,profile=main`,
      `! ${GST_QUEUE} leaky=downstream ! file.`,
      `pulsesrc server=unix:${pulseServer} device=${source} ! audiorate skip-to-first=true tolerance=3000000`,
      `! ${GST_QUEUE} leaky=downstream ! audioconvert ! audioresample`,
      '! audio/x-raw,format=S16LE,layout=interleaved,rate=44100,channels=2 ! voaacenc bitrate=128000',
      `! ${GST_QUEUE} leaky=downstream ! file.`,
    ].flatMap((line) => line.split(' ')),
  afterwards: () => [],
}

export const PIPELINES: readonly Pipeline[] = [attendee, meetingBaas, meetingbot, livekit]
