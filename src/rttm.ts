/** Who spoke when as RTTM, which diarization tools read (NIST, "Rich Transcription Time Marked"). Pure. */
import type { DiarizationSegment } from './timeline.ts'

/** One line for each segment; `file` is the recording's name. */
export function rttm(file: string, segments: readonly DiarizationSegment[]): string {
  const idsOf = new Map<string, Set<number>>()
  for (const { speaker, user_id: id } of segments) idsOf.set(speaker, (idsOf.get(speaker) ?? new Set()).add(id))
  /** Fields end at a blank; two people of one name are told apart by their number. */
  const label = ({ speaker, user_id: id }: DiarizationSegment) =>
    `${speaker.trim().replace(/\s+/g, '_') || 'Unknown'}${(idsOf.get(speaker)?.size ?? 0) > 1 ? `_${id}` : ''}`
  return segments
    .map((segment) => {
      const seconds = (segment.end_time - segment.start_time).toFixed(3)
      return `SPEAKER ${file} 1 ${segment.start_time.toFixed(3)} ${seconds} <NA> <NA> ${label(segment)} <NA> <NA>\n`
    })
    .join('')
}
