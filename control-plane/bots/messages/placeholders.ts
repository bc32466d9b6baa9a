/** Placeholders in a stored body. The dispatcher replaces them at each attempt. */
import type { ArtifactField } from '../../platform/ports.ts'

/** A link to an artifact, filled in at sending. */
export interface LinkPlaceholder {
  $link: string
  /** How long the link works, from its signing. */
  seconds: number
  /** The value if the artifact is deleted or missing; absent: null. */
  otherwise?: string
}

/** Seconds. The newer generation promises 4 hours, the older one 24. */
export const NEWER_LINK_SECONDS = 4 * 3600
export const OLDER_LINK_SECONDS = 24 * 3600

export const link = ($link: string, seconds: number): LinkPlaceholder => ({ $link, seconds })
/** As the older generation writes it, whose links are never null. */
export const olderLink = ($link: string): LinkPlaceholder => ({ $link, seconds: OLDER_LINK_SECONDS, otherwise: '' })

/** The address of a page of the service. */
export const pageLink = ($page: string) => ({ $page })

/** The time at which the message was stored, so that a retry says the same. */
export const SENT_AT = { $sentAt: true } as const

/** The words of `transcription.json` in the older shape; an empty list once it is deleted. */
export const OLDER_TRANSCRIPT = { $olderTranscript: true } as const

/** Artifacts of the worker behind the six links of the newer generation. */
export const ARTIFACT_NAMES: Readonly<Record<ArtifactField, string>> = {
  video: 'video.mp4',
  audio: 'audio.m4a',
  diarization: 'diarization.jsonl',
  raw_transcription: 'raw_transcription.json',
  transcription: 'transcription.json',
  chat_messages: 'chat_messages.json',
}
