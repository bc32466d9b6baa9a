/** Reads what the capturing ffmpeg says, line by line. Nothing here starts or waits. */

export interface CaptureProgress {
  /** Pictures written; 0 where only sound is recorded. */
  frames: number
  /** Seconds of media written. */
  seconds: number
  /** Frames without a new picture: they repeat the one before. */
  repeatedFrames: number
  isLast: boolean
}

/** Collects `key=value` lines of `-progress` until a block is whole. */
export function createProgressReader(onProgress: (progress: CaptureProgress) => void): (line: string) => void {
  let block = new Map<string, string>()
  return (line) => {
    const [, key, value] = /^\s*(\w+)=\s*(.*?)\s*$/.exec(line) ?? []
    if (key === undefined || value === undefined) return
    block.set(key, value)
    if (key !== 'progress') return
    onProgress({
      frames: number(block.get('frame')),
      // out_time_us says N/A (and older builds a large negative number) until the first packet is out.
      seconds: Math.max(0, number(block.get('out_time_us')) / 1e6),
      repeatedFrames: number(block.get('dup_frames')),
      isLast: value === 'end',
    })
    block = new Map()
  }
}

/** `lavfi` reads frames from a file. */
type Device = 'x11grab' | 'lavfi' | 'pulse'

export type CaptureReport =
  /** An input delivered its first packet, at this wall-clock time. */
  | { type: 'input_started'; device: Device; at: number }
  /** Seconds of media at which sound became silent or audible. */
  | { type: 'silence'; isSilent: boolean; seconds: number }

/** Reads standard error. */
export function createReportReader(onReport: (report: CaptureReport) => void): (line: string) => void {
  let device: Device | null = null
  return (line) => {
    const input = /^Input #\d+, (x11grab|lavfi|pulse), from /.exec(line)?.[1]
    if (input !== undefined) {
      device = input as Device
      return
    }
    const start = /^\s*Duration: .*\bstart: (\d+\.\d+)/.exec(line)?.[1]
    if (start !== undefined && device !== null) {
      onReport({ type: 'input_started', device, at: Math.round(Number(start) * 1000) })
      device = null
      return
    }
    const silence = /^\[silencedetect @ [^\]]*\] silence_(start|end): (-?[\d.]+(?:e-?\d+)?)/.exec(line)
    if (silence !== null) {
      onReport({ type: 'silence', isSilent: silence[1] === 'start', seconds: Math.max(0, Number(silence[2])) })
    }
  }
}

const EVERYDAY =
  /^\*\*\* (\d+ dup!|dropping frame)|^Past duration|^ +Last message repeated|message queue blocking|compensating audio timestamp|silence_(start|end)|^ *(Stream #|Metadata:|encoder +:|Side data:|cpb:)/

/** Lines that an encoder writes while it works well; they never explain why it exited. */
export function isEverydayReport(line: string): boolean {
  return EVERYDAY.test(line)
}

/**
 * Whether a span of recorded sound is audible. ffmpeg reports changes only, and takes a span to begin with sound; what
 * it begins with is known once the shortest silence has passed without a report.
 */
export function createSoundWatch(
  silenceMs: number,
  onChange: (isAudible: boolean, seconds: number) => void,
): { report(isSilent: boolean, seconds: number): void; progress(seconds: number): void; beginSpan(): void } {
  let isAudible: boolean | null = null
  let isSpanJudged = false
  // ffmpeg judges sound a little after it counts it as written; a span that begins silent must not look audible.
  const judgedAfterSeconds = silenceMs / 1000 + 0.5
  const emit = (value: boolean, seconds: number) => {
    isSpanJudged = true
    if (isAudible === value) return
    isAudible = value
    onChange(value, seconds)
  }
  return {
    report: (isSilent, seconds) => emit(!isSilent, seconds),
    progress(seconds) {
      if (!isSpanJudged && seconds >= judgedAfterSeconds) emit(true, 0)
    },
    beginSpan() {
      isSpanJudged = false
    },
  }
}

function number(text: string | undefined): number {
  const value = Number(text)
  return text === undefined || Number.isNaN(value) ? 0 : value
}
