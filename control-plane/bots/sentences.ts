/** The timeline of a bot in words. Pure. */

export interface Moment {
  at: Date
  attempt: number | null
  kind: string
  reason: string | null
  evidence: Record<string, unknown> | null
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  queued: 'The bot was queued.',
  joining_call: 'The bot asked to join the meeting.',
  in_waiting_room: 'The bot waited in the waiting room.',
  in_waiting_for_host: 'The bot waited for the host.',
  in_call_not_recording: 'The bot was admitted to the meeting.',
  in_call_recording: 'The recording started.',
  recording_paused: 'The recording was paused.',
  recording_resumed: 'The recording was resumed.',
  call_ended: 'The bot left the meeting.',
  transcribing: 'Transcription started.',
  completed: 'The bot completed.',
  failed: 'The bot failed.',
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  asked: 'Bot requested.',
  changed: 'The bot was changed.',
  cancelled: 'The bot was cancelled.',
  due: 'The bot became due.',
  admitted: "The team's limits allow this bot.",
  refused: 'The bot was refused at its join time.',
  waiting_for_room: 'The bot waits for room on a machine.',
  waiting_for_token: 'The bot waits for its token.',
  account: 'The account of the bot.',
  pickup_delayed: 'The bot waits longer than usual for its start.',
  launched: 'The bot was started.',
  launch_failed: 'The start of the bot failed.',
  connected: 'The bot connected to the service.',
  link_lost: 'The connection to the bot was lost.',
  stop_asked: 'The bot was asked to leave.',
  killed: 'The bot was killed.',
  process_ended: 'The process of the bot ended.',
  lost: 'The bot was lost in the meeting.',
  resumed: 'The bot records again.',
  assembling: 'The parts of the recording are being joined.',
  assembled: 'The parts of the recording were joined.',
  ended: 'The bot ended.',
  data_deleted: 'The data of the bot was deleted.',
}

/** Kinds whose reason says what happened as well. */
const TOLD_BY_REASON: readonly string[] = [
  'account',
  'asked',
  'admitted',
  'connected',
  'pickup_delayed',
  'lost',
  'resumed',
  'assembling',
  'assembled',
]

/** One or two sentences, without the time. */
export function sentenceOf({ kind, reason, evidence, attempt }: Moment): string {
  const status = evidence?.status
  const what =
    kind === 'status' && typeof status === 'string'
      ? (STATUS_WORDS[status] ?? `The status became ${status}.`)
      : (KIND_WORDS[kind] ?? `${kind.replaceAll('_', ' ')}.`)
  const sentence = sentenceOfKind(kind, what, reason)
  return attempt !== null && attempt > 1 ? `Attempt ${attempt}: ${sentence}` : sentence
}

function sentenceOfKind(kind: string, what: string, reason: string | null): string {
  if (reason === null || reason === '' || reason === what) return what
  return TOLD_BY_REASON.includes(kind) ? withStop(reason) : `${what} ${withStop(reason)}`
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
