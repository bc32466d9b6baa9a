import type { BotRow } from '@standin/control-plane/store/rows/index.ts'
import type { BotEvent, FinalReport, NumberedEvent } from '@standin/wire/events.ts'
import { describe, expect, test } from 'vitest'
import { fold } from '../../../control-plane/bots/fold.ts'
import { withPatch } from '../../../control-plane/bots/row.ts'
import { botRow } from './bot-row.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const UNCHANGED = { patch: {}, steps: [], messages: [], ledger: [] }
const JOURNAL = '3f2b8c1e-58f0-4d0e-9a2b-6d1f0c9e7a55'

/** A launched bot that has not reported yet. */
const fresh = (changes: Partial<BotRow> = {}) =>
  botRow({
    phase: 'starting',
    status: 'queued',
    joined_at: null,
    exited_at: null,
    duration_seconds: null,
    participants: [],
    speakers: [],
    reserved: 500_000,
    ...changes,
  })

const recording = (changes: Partial<BotRow> = {}) =>
  fresh({
    phase: 'running',
    status: 'in_call_recording',
    joined_attempt: 1,
    joined_at: new Date('2026-11-20T09:00:00Z'),
    recording_started_at: new Date('2026-11-20T09:00:01Z'),
    ...changes,
  })

/** One event a second from 09:00:01 on. */
const journal = (...events: BotEvent[]): NumberedEvent[] =>
  events.map((event, place) => ({
    type: 'event',
    seq: place + 1,
    bot_id: botRow().id,
    at: new Date(Date.UTC(2026, 10, 20, 9, 0, place + 1)).toISOString(),
    event,
  }))

const folded = (bot: BotRow, events: NumberedEvent[], attempt = 1) => {
  const { change, artifacts } = fold(bot, { attempt, journalId: JOURNAL, events, now: NOW })
  return { change, artifacts, after: withPatch(bot, change.patch) }
}

const status = (name: Extract<BotEvent, { type: 'status_change' }>['status']): BotEvent => ({
  type: 'status_change',
  status: name,
})
const ada = { id: 1, name: 'Ada', platform_id: 'p/1' }

const report = (changes: Partial<FinalReport> = {}): FinalReport => ({
  type: 'final_report',
  status: 'completed',
  end_code: 'NO_ATTENDEES',
  end_message: 'All participants left.',
  error_code: null,
  error_message: null,
  meeting_url: 'https://meet.google.com/abc-defg-hij',
  meeting_platform: 'meet',
  bot_name: 'Bot',
  recording_mode: 'speaker_view',
  joined_at: '2026-11-20T09:00:00.000Z',
  exited_at: '2026-11-20T09:30:00.000Z',
  recording_started_at: '2026-11-20T09:00:01.000Z',
  duration_seconds: 1799,
  participants: [ada],
  speakers: [ada],
  artifacts: [],
  location: null,
  extra: null,
  ...changes,
})

/** The codes and events of messages, in order. */
const messagesOf = ({ change }: ReturnType<typeof folded>) =>
  change.messages.map(({ event, body }) => (body.data as { status?: { code: string } }).status?.code ?? event)

describe('statuses', () => {
  test('the first request to join makes the attempt the bot', () => {
    const { after, change } = folded(fresh(), journal(status('joining_call')))
    expect(after).toMatchObject({ phase: 'running', status: 'joining_call', joined_attempt: 1, lease_owner: null })
    expect(after.joining_at).toEqual(new Date('2026-11-20T09:00:01Z'))
    expect(after.deadline_at!.getTime()).toBeGreaterThan(after.joining_at!.getTime() + 600_000)
    expect(change.steps).toMatchObject([{ kind: 'status', attempt: 1, evidence: { status: 'joining_call' } }])
  })

  test('times are those of the events', () => {
    const started: BotEvent = { type: 'status_change', status: 'in_call_recording', start_time: 1_763_629_204.5 }
    const result = folded(
      fresh(),
      journal(status('joining_call'), status('in_waiting_room'), status('in_call_not_recording'), started),
    )
    expect(result.after.waiting_at).toEqual(new Date('2026-11-20T09:00:02Z'))
    expect(result.after.joined_at).toEqual(new Date('2026-11-20T09:00:03Z'))
    expect(result.after.recording_started_at).toEqual(new Date(1_763_629_204_500))
    const codes = ['joining_call', 'in_waiting_room', 'in_call_not_recording', 'in_call_recording']
    expect(messagesOf(result)).toEqual(codes)
    expect(result.change.messages[3]!.body).toMatchObject({ data: { status: { start_time: 1_763_629_204 } } })
  })

  test('a second waiting, pause or start keeps the first times', () => {
    const bot = recording()
    const again = journal(status('recording_paused'), status('recording_resumed'), status('in_call_recording'))
    const { after } = folded(bot, again)
    expect(after.recording_started_at).toEqual(bot.recording_started_at)
    expect(after.joined_at).toEqual(bot.joined_at)
  })

  test('a repeated status sends nothing', () => {
    const { change } = folded(recording(), journal(status('in_call_recording')))
    expect(change).toEqual(UNCHANGED)
  })

  test('a bot that was asked to leave stays so until its report', () => {
    const stopped = fresh({ phase: 'ending', stop_requested_at: NOW })
    const { after } = folded(stopped, journal(status('joining_call'), status('in_waiting_room')))
    expect(after).toMatchObject({ phase: 'ending', status: 'in_waiting_room', joined_attempt: 1 })
  })

  test('a status before the request to join changes nothing', () => {
    expect(folded(fresh(), journal(status('in_call_recording'))).change.patch).toEqual({})
  })

  test('the last status is stored, and sent only with the report after it', () => {
    const ended = { status: 'completed', end_code: 'NO_SPEAKER', end_message: 'Silence.' } as const
    const result = folded(recording(), journal({ type: 'status_change', ...ended }))
    expect(result.after).toMatchObject({ phase: 'running', status: 'in_call_recording', end_code: 'NO_SPEAKER' })
    expect(messagesOf(result)).toEqual([])
  })

  test.each(['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'])('a time like %s is not believed', (at) => {
    const events = journal(status('joining_call')).map((event) => ({ ...event, at }))
    expect(folded(fresh(), events).after.joining_at).toEqual(NOW)
  })
})

test('a deadline counts from when the status is stored: the clock of a bot may be off', () => {
  const deadlineAt = (at: string) => {
    const [event] = journal(status('joining_call'))
    return folded(fresh(), [{ ...event!, at }]).after.deadline_at
  }
  expect(deadlineAt('2026-11-18T12:00:00.000Z')).toEqual(deadlineAt(NOW.toISOString()))
  expect(deadlineAt('2026-11-18T12:00:00.000Z')!.getTime()).toBeGreaterThan(NOW.getTime())
})

describe('attempts', () => {
  const two = { attempt: 2 }

  test.each(['starting', 'launching'])('an older attempt decides nothing in %s', (phase) => {
    const { change } = folded(fresh({ ...two, phase }), journal(status('joining_call'), report()), 1)
    expect(change).toEqual(UNCHANGED)
  })

  test('the attempt that asked to join stays the bot', () => {
    const bot = recording({ ...two, joined_attempt: 2 })
    expect(folded(bot, journal(status('recording_paused')), 2).after.status).toBe('recording_paused')
    expect(folded(bot, journal(status('recording_paused')), 1).change.patch).toEqual({})
    expect(folded(bot, journal(status('recording_paused')), 3).change.patch).toEqual({})
  })

  test('its files are known all the same', () => {
    const artifact = { name: 'video.mp4', location: '/1/video.mp4', bytes: 1, sha256: null }
    expect(folded(fresh(two), journal({ type: 'artifact', artifact }), 1).artifacts).toEqual([artifact])
  })

  test('a fast bot reports before its launcher has answered', () => {
    const bot = fresh({ phase: 'launching', lease_owner: 'launcher', lease_until: NOW })
    const running = { phase: 'running', lease_owner: null, lease_until: null }
    expect(folded(bot, journal(status('joining_call'))).after).toMatchObject(running)
  })
})

describe('people, chat and files', () => {
  test('participants are listed once, with their last name', () => {
    const { after } = folded(
      recording(),
      journal(
        { type: 'participant_joined', participant: ada, offset: null },
        { type: 'participant_joined', participant: { ...ada, id: 2, name: 'Niko' }, offset: 1 },
        { type: 'participant_changed', participant: { ...ada, name: 'Ada Byron', is_host: true }, offset: 2 },
        { type: 'participant_left', participant: { ...ada, name: 'Ada Byron', is_host: true }, offset: 3 },
      ),
    )
    expect(after.participants).toEqual([
      { id: 1, name: 'Ada Byron', platform_id: 'p/1', is_host: true },
      { id: 2, name: 'Niko', platform_id: 'p/1' },
    ])
  })

  test('only those who spoke are speakers, and nothing is written where nothing is new', () => {
    const speaker = (is_speaking: boolean): BotEvent => ({
      ...{ type: 'speaker', participant: ada, is_speaking, timestamp: 1, offset: 1, source: 'csrc', confidence: 1 },
    })
    expect(folded(recording(), journal(speaker(false))).change.patch).toEqual({})
    expect(folded(recording(), journal(speaker(true))).after.speakers).toEqual([ada])
    expect(folded(recording({ speakers: [ada] }), journal(speaker(true))).change.patch).toEqual({})
  })

  test('chat of others is sent, its own chat is not', () => {
    const sender = { sender_id: 1, sender_name: 'Ada', timestamp: '2026-11-20T09:00:00.000Z' }
    const chat = (is_own: boolean): BotEvent => ({
      ...{ type: 'chat_message', message_id: 'm', ...sender, text: 'Hello', is_own },
    })
    expect(messagesOf(folded(recording(), journal(chat(true), chat(false))))).toEqual(['bot.chat_message'])
  })

  test('whether there is a chat', () => {
    const { after } = folded(recording(), journal({ type: 'chat_availability', is_available: false }))
    expect(after.chat_is_available).toBe(false)
  })

  test('the report decides which files there are', () => {
    const file = { name: 'video.mp4', location: '/v', bytes: 1, sha256: null }
    const { artifacts } = folded(
      recording(),
      journal({ type: 'artifact', artifact: file }, report({ artifacts: [{ ...file, bytes: 2 }] })),
    )
    expect(artifacts).toEqual([{ ...file, bytes: 2 }])
  })
})

test('denials of all attempts are counted', () => {
  const events = journal(status('joining_call'), { type: 'join_denied' })
  expect(folded(fresh({ denials: 1 }), events).after.denials).toBe(2)
})

describe('ends', () => {
  test('a refused join keeps its reason, and an end that the reason does not explain has none', () => {
    const refused = { status: 'failed', end_code: 'BOT_NOT_ACCEPTED', error_code: 'BOT_NOT_ACCEPTED' } as const
    const reason = 'denied_by_person'
    const { after, change } = folded(fresh(), journal(status('joining_call'), report({ ...refused, reason })))
    expect(after.reason).toBe(reason)
    expect(change.steps.at(-1)).toMatchObject({ kind: 'ended', evidence: { reason } })
    expect(change.messages.at(-1)).toMatchObject({ body: { data: { reason, reason_help: { evidence: [] } } } })
    expect(folded(recording(), journal(report({ reason }))).after.reason).toBeNull()
  })

  test('a normal end: closed, charged, released, and sent in order', () => {
    const result = folded(recording(), journal(report()))
    const closed = { phase: 'closed', status: 'completed', reserved: 0, participants: [ada], deadline_at: null }
    const ended = { end_code: 'NO_ATTENDEES', error_code: null, duration_seconds: 1799 }
    expect(result.after).toMatchObject({ ...closed, ...ended })
    const codes = ['call_ended', 'recording_succeeded', 'completed', 'bot.completed', 'bot.completed']
    expect(messagesOf(result)).toEqual(codes)
    expect(result.change.messages.map(({ channel }) => channel).at(-1)).toBe('callback')
    expect(result.change.ledger.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['release', 500_000],
      ['charge', 499_722],
    ])
    expect(result.change.steps).toMatchObject([{ kind: 'ended', evidence: { code: 'NO_ATTENDEES' } }])
  })

  test('a transcript is made in between', () => {
    const started: BotEvent = { type: 'transcription_started', provider: 'deepgram', seconds: 1799 }
    const events = journal(started, report({ transcribed_seconds: 1799 }))
    const result = folded(recording({ transcription_status: 'not-started' }), events)
    const codes = ['call_ended', 'recording_succeeded', 'transcribing', 'completed', 'bot.completed', 'bot.completed']
    expect(messagesOf(result)).toEqual(codes)
    expect(result.after).toMatchObject({ transcription_status: 'done', transcription_provider: 'deepgram' })
    expect(result.change.ledger.map(({ meter }) => meter)).toEqual([null, 'recording', 'transcription'])
  })

  test('while the transcript is made, the status says so', () => {
    const started: BotEvent = { type: 'transcription_started', provider: 'deepgram', seconds: 1 }
    const { after } = folded(recording({ transcription_status: 'not-started' }), journal(started))
    expect(after).toMatchObject({ phase: 'processing', status: 'transcribing', transcription_status: 'processing' })
  })

  test('a transcript that failed keeps the recording and costs no transcription', () => {
    const result = folded(
      recording({ phase: 'processing', status: 'transcribing', transcription_status: 'processing' }),
      journal(report({ status: 'failed', end_code: 'TRANSCRIPTION_FAILED', error_code: 'TRANSCRIPTION_FAILED' })),
    )
    expect(messagesOf(result)).toEqual(['failed', 'bot.failed', 'bot.failed'])
    expect(result.after).toMatchObject({ transcription_status: 'error', error_code: 'TRANSCRIPTION_FAILED' })
    expect(result.change.ledger.map(({ meter }) => meter)).toEqual([null, 'recording'])
  })

  test.each([
    ['BOT_NOT_ACCEPTED', 'bot_rejected', 'bot_rejected'],
    ['TIMEOUT_WAITING_TO_START', 'waiting_room_timeout', 'waiting_room_timeout'],
    ['INVALID_MEETING_URL', 'invalid_meeting_url', 'invalid_meeting_url'],
    ['BOT_REMOVED_TOO_EARLY', 'bot_removed_too_early', 'bot_removed'],
    ['EXITING_MEETING_BEFORE_RECORD', 'api_request_stop', 'api_request_stop'],
    ['CANNOT_JOIN_MEETING', 'meeting_error', 'meeting_error'],
  ] as const)('%s is sent as %s, in the older generation as %s', (code, newer, older) => {
    const failed = report({ status: 'failed', end_code: code, error_code: code, duration_seconds: null })
    const bot = { phase: 'running', status: 'in_waiting_room', joined_attempt: 1 }
    expect(messagesOf(folded(fresh(bot), journal(failed)))).toEqual([
      ...[newer, 'recording_failed', 'failed', 'bot.failed', 'bot.failed'],
    ])
    expect(messagesOf(folded(fresh({ ...bot, generation: 'older' }), journal(failed)))).toEqual([older, 'failed'])
  })

  test('a bot that fails before it could ask to join is closed as it says', () => {
    const failed = report({ status: 'failed', end_code: 'INTERNAL_ERROR', error_code: 'INTERNAL_ERROR' })
    const closed = { phase: 'closed', status: 'failed', error_code: 'INTERNAL_ERROR' }
    expect(folded(fresh(), journal(failed)).after).toMatchObject(closed)
  })

  test('a closed bot is closed: later reports are kept and decide nothing', () => {
    const closed = botRow({ joined_attempt: 1, error_code: 'FORCE_KILLED', status: 'failed' })
    const { change } = folded(closed, journal(status('in_call_recording'), report()))
    expect(change).toEqual(UNCHANGED)
  })

  test('events after the report change nothing', () => {
    const alone = folded(recording(), journal(report()))
    const more = folded(recording(), journal(report(), status('in_call_recording'), report({ end_code: 'NO_SPEAKER' })))
    expect(more.change).toEqual(alone.change)
  })
})

describe('batches', () => {
  const life = journal(
    status('joining_call'),
    status('in_call_not_recording'),
    { type: 'participant_joined', participant: ada, offset: null },
    status('in_call_recording'),
    { type: 'chat_availability', is_available: true },
    { type: 'transcription_started', provider: 'Default', seconds: 3 },
    report({ transcribed_seconds: 3 }),
  )

  test.each([1, 2, 3, 5])('in batches of %i the end, the messages and the entries are the same', (size) => {
    const whole = folded(fresh(), life)
    let bot = fresh()
    const parts = Array.from({ length: Math.ceil(life.length / size) }, (_, place) => {
      const part = folded(bot, life.slice(place * size, (place + 1) * size))
      bot = part.after
      return part.change
    })
    expect(bot).toEqual(whole.after)
    expect(parts.flatMap(({ messages }) => messages)).toEqual(whole.change.messages)
    expect(parts.flatMap(({ ledger }) => ledger)).toEqual(whole.change.ledger)
  })

  test('the same events give messages of the same ids', () => {
    const ids = () => folded(fresh(), life).change.messages.map(({ id }) => id)
    expect(ids()).toEqual(ids())
    expect(new Set(ids()).size).toBe(ids().length)
  })
})

describe('a bot that was lost in its meeting', () => {
  const lostAt = new Date('2026-11-20T09:00:00Z')
  const part = { attempt: 1, seconds: 40, code: 'FORCE_KILLED', reason: null }
  const onItsWay = (changes: Partial<BotRow> = {}) =>
    recording({
      ...{ phase: 'starting', attempt: 2, joined_attempt: null, resumes: 1, resuming_since: lostAt, parts: [part] },
      participants: [{ id: 1, name: 'Zoe', platform_id: 'p/9' }],
      ...changes,
    })
  const back = [status('joining_call'), status('in_waiting_room'), status('in_call_not_recording')]

  test('keeps its status during the rejoin, and the timeline shows each step', () => {
    const { change, after } = folded(onItsWay(), journal(...back, status('in_call_recording')), 2)
    expect(after).toMatchObject({ phase: 'running', status: 'in_call_recording', joined_attempt: 2 })
    expect(after.resuming_since).toBeNull()
    expect(change.messages).toEqual([])
    expect(change.steps.map(({ kind }) => kind)).toEqual(['status', 'status', 'status', 'resumed'])
    expect(change.steps.at(-1)).toMatchObject({ evidence: { missing_seconds: 4 } })
    expect(after.recording_started_at).toEqual(recording().recording_started_at)
  })

  test('that was paused stays paused to its caller', () => {
    const paused = onItsWay({ status: 'recording_paused' })
    const events = journal(...back, status('in_call_recording'), status('recording_paused'))
    const { change, after } = folded(paused, events, 2)
    expect(after.status).toBe('recording_paused')
    expect(change.messages).toEqual([])
  })

  test('is assembled after its report, with the seconds and the people of both parts', () => {
    const joined = { type: 'participant_joined' as const, participant: ada, offset: null }
    const last = report({ duration_seconds: 20, participants: [ada], speakers: [ada] })
    const { change, after } = folded(onItsWay(), journal(...back, status('in_call_recording'), joined, last), 2)
    expect(after).toMatchObject({ phase: 'assembling', status: 'in_call_recording', duration_seconds: 60 })
    expect(after.parts).toMatchObject([part, { attempt: 2, seconds: 20 }])
    expect(after.participants).toMatchObject([
      { id: 1, name: 'Zoe' },
      { id: 2, name: 'Ada' },
    ])
    expect(after.speakers).toMatchObject([{ id: 2, name: 'Ada' }])
    expect(change.messages).toEqual([])
    expect(change.ledger).toEqual([])
    // Later events change nothing.
    expect(folded(after, journal(status('in_call_recording'), last), 2).change.patch).toEqual({})
  })

  test('has used what its attempts used together', () => {
    const used = { transcribed_seconds: 40, transcription_ids: ['a'], streaming_output_seconds: 10_800 }
    const last = report({
      ...{ transcribed_seconds: 20, transcription_ids: ['a', 'b'] },
      streaming: { input_seconds: 5, output_seconds: 600 },
    })
    const { after } = folded(onItsWay(used), journal(...back, last), 2)
    const sums = { transcribed_seconds: 60, transcription_ids: ['a', 'b'], streaming_input_seconds: 5 }
    expect(after).toMatchObject({ ...sums, streaming_output_seconds: 11_400 })
  })

  test('that had not recorded sends its statuses again', () => {
    const waiting = fresh({ status: 'in_waiting_room', attempt: 2, resumes: 1 })
    const { change, after } = folded(waiting, journal(...back), 2)
    expect(after).toMatchObject({ phase: 'running', status: 'in_call_not_recording', joined_attempt: 2 })
    expect(change.messages).toHaveLength(3)
  })

  test('is not changed by the attempt that crashed', () => {
    const { change } = folded(onItsWay({ phase: 'due', attempt: 1 }), journal(status('recording_paused')), 1)
    expect(change).toMatchObject({ patch: {}, messages: [], steps: [] })
  })
})

describe('a bot that its machine terminates', () => {
  const terminated = () =>
    report({ status: 'failed', end_code: 'SIGTERM', end_message: 'The bot was asked to leave (terminate).' })

  const ending: BotEvent = { type: 'status_change', status: 'failed', end_code: 'SIGTERM' }
  const transcribing: BotEvent = { type: 'transcription_started', provider: 'deepgram', seconds: 1 }

  test.each([
    ['', []],
    ['after a transcript', [ending, transcribing]],
  ])('is not closed by its report %s, which the end of its process judges', (_, before: BotEvent[]) => {
    const { change, after } = folded(recording(), journal(...before, terminated()))
    expect(change.messages).toEqual([])
    expect(after).toMatchObject({ phase: 'running', status: 'in_call_recording', end_code: 'SIGTERM' })
    expect(after.report).not.toBeNull()
    expect((after.deadline_at as Date).getTime() - NOW.getTime()).toBe(60_000)
  })

  test('is closed by its report if the service had asked it to leave', () => {
    const { after } = folded(recording({ stop_sent_at: NOW }), journal(terminated()))
    expect(after).toMatchObject({ phase: 'closed', status: 'failed', end_code: 'SIGTERM' })
  })
})
