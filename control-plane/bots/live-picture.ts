/** Why a bot has no new picture of its meeting. Pure. */

/** Statuses in which a picture is taken. While the recording is paused none is: the people there asked for that. */
export const IN_CALL_WITH_PICTURE = ['in_call_not_recording', 'in_call_recording', 'recording_resumed']

/** A bot that was asked this long ago did not answer. */
const SILENT_AFTER_SECONDS = 15

export const NO_PICTURE = [
  /** It waits for its start, or asks to join. */
  'joining',
  'waiting_room',
  'paused',
  'audio_only',
  /** It was lost in the meeting, and another attempt goes back. */
  'resuming',
  /** It has left the meeting. */
  'left',
  'assembling',
  /** It was not asked yet, or its answer is on the way. */
  'pending',
  'no_answer',
  /** Its answer says why. */
  'refused',
  /** The picture is no file of this service's storage, or too large to be shown. */
  'unusable',
] as const
export type NoPicture = (typeof NO_PICTURE)[number]

export interface AskedBot {
  status: string
  phase: string
  recording_mode: string
  is_resuming: boolean
  asked: { seconds_ago: number; is_ok: boolean | null; message: string | null } | null
}

/** Null if the last picture that was asked for is there. */
export function noPictureOf(bot: AskedBot): NoPicture | null {
  if (bot.phase === 'assembling') return 'assembling'
  if (bot.phase === 'processing' || bot.phase === 'ending') return 'left'
  if (bot.is_resuming) return 'resuming'
  if (bot.recording_mode === 'audio_only') return 'audio_only'
  if (bot.status === 'in_waiting_room') return 'waiting_room'
  if (bot.status === 'recording_paused') return 'paused'
  if (bot.phase !== 'running' || !IN_CALL_WITH_PICTURE.includes(bot.status)) return 'joining'
  if (bot.asked === null) return 'pending'
  if (bot.asked.is_ok === null) return bot.asked.seconds_ago > SILENT_AFTER_SECONDS ? 'no_answer' : 'pending'
  return bot.asked.is_ok ? null : 'refused'
}
