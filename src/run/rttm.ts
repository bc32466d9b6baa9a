/** Who spoke when as RTTM, which diarization tools read (NIST, "Rich Transcription Time Marked"). Pure. */
import type { DiarizationSegment } from './timeline.ts'

/** One line for each segment; `file` is the recording's name. */
export function rttm(file: string, segments: readonly DiarizationSegment[]): string {
  const labels = labelsOf(segments)
  return segments
    .map((segment) => {
      const seconds = (segment.end_time - segment.start_time).toFixed(3)
      const label = labels.get(segment.user_id)
      return `SPEAKER ${file} 1 ${segment.start_time.toFixed(3)} ${seconds} <NA> <NA> ${label} <NA> <NA>\n`
    })
    .join('')
}

/** Speakers have nothing but a label: it is the name, and the number behind it where two would be called the same. */
function labelsOf(segments: readonly DiarizationSegment[]): Map<number, string> {
  const labels = new Map(segments.map(({ user_id, speaker }) => [user_id, fieldOf(speaker)]))
  for (;;) {
    const all = [...labels.values()]
    const shared = [...labels].filter(([, label]) => all.indexOf(label) !== all.lastIndexOf(label))
    if (shared.length === 0) return labels
    for (const [id, label] of shared) labels.set(id, `${label}_${id}`)
  }
}

/** Fields end at a blank, and lines at more characters than one. */
function fieldOf(name: string): string {
  return name.trim().replace(/[\s\p{Cc}]+/gu, '_') || 'Unknown'
}
