/** The measurements of a recording, in sentences for people. */
import type { ReportFacts } from '../../packages/core/ports.ts'
import { clock } from '../../packages/page-parts/clock.ts'

export function qualityOf({ quality, gaps, bytes, pauses, files, seconds }: ReportFacts): [string, string][] {
  const missing = gaps.reduce((sum, gap) => sum + gap.seconds, 0)
  const rest: [string, string][] = [
    ['Size', `${(bytes / 1_000_000).toFixed(1)} MB`],
    ['Pauses', String(pauses)],
  ]
  if (gaps.length > 0) rest.push(['Missing parts', `${missing.toFixed(1)} s in ${counted(gaps.length, 'gap')}`])
  if (quality === null) return rest
  const lines: [string, string][] = []
  if (files.includes('video.mp4')) {
    const { frames_lost: lost, frames_expected: all, longest_gap_seconds: longest } = quality
    lines.push(['Repeated frames', `${lost} of ${all} (${percent(lost / Math.max(1, all))})`])
    if (longest > 0) lines.push(['Longest freeze', `${longest.toFixed(2)} s`])
    if (quality.sound_picture_offset_ms !== null)
      lines.push([
        'Audio/video offset, at most',
        `${Math.max(10, Math.abs(quality.sound_picture_offset_ms)).toFixed(0)} ms`,
      ])
    const steps = quality.picture_steps ?? []
    if (steps.length > 0) lines.push(['Picture quality reduced', counted(steps.filter(isDown).length, 'time')])
  }
  if (quality.clipped_share !== null) lines.push(['Clipped audio', percent(quality.clipped_share)])
  if (quality.silent_share !== null) lines.push(['Silence', percent(quality.silent_share)])
  const { speech_without_name_seconds: unnamed, doubtful_seconds: doubtful } = quality
  if (unnamed > 0) lines.push(['Speech without a name', durationOf(unnamed, quality.first_unnamed_at, seconds)])
  if (doubtful > 0) lines.push(['Uncertain names', durationOf(doubtful, quality.first_doubtful_at, seconds)])
  return [...lines, ...rest]
}

/** Its length, its share of the recording, and where it begins. */
function durationOf(length: number, firstAt: number | null, seconds: number): string {
  const share = percent(length / Math.max(1, seconds))
  return `${length.toFixed(1)} s (${share})${firstAt === null ? '' : `, first at ${clock(firstAt)}`}`
}

function isDown({ frames_per_second: rate, size }: { frames_per_second: number | null; size: number }): boolean {
  return rate !== null || size < 1
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`
}
