/**
 * What every platform promises, one test for each promise. The names of the tests are the rows of the table in
 * docs/platforms.md. Promises of one meeting share its browser, which keeps the whole suite of a platform to a few minutes.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MockMeeting, MockPerson } from '../../../mock/types.ts'
import { type BotError, ChatUnavailable } from '../../../src/errors.ts'
import type { ChatMessage, MeetingEvent, Participant } from '../../../src/meeting.ts'
import { shownShare } from '../../media/meeting-recording.ts'
import { heartbeats, until } from './ground.ts'
import { isComposite, pictureOf } from './pictures.ts'
import type { PlatformUnderTest } from './platforms.ts'
import { BOT_NAME, conformanceRig, type Session } from './rig.ts'

/** Looks come in the order in which people are named. */
const PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'ben', name: 'Ben <b>Bold</b> & "Sons"', camera: true },
  { id: 'cleo', name: 'Cléo Ñandú', camera: true },
]
const OUT = ['left', 'closed', 'none']

export function promises(platform: PlatformUnderTest): void {
  const rig = conformanceRig(platform)

  describe('getting in', () => {
    test('a waiting room is waited in, and admission leads into the meeting', async () => {
      const session = await rig.session(rig.meeting('waiting-room'))
      expect(await session.driver.join(session.stop.signal)).toBe('waiting_room')
      expect(session.meeting.botName).toBe(BOT_NAME)
      const waiting = session.driver.waitForAdmission(session.stop.signal)
      session.meeting.admit()
      await waiting
      expect(session.meeting.state).toBe('call')
      expect(session.meeting.truth.admittedAt).not.toBeNull()
      await session.driver.leave()
    })

    test('a denial is told as one, with what was seen', async () => {
      const meeting = rig.meeting('waiting-room')
      const life = rig.life(meeting)
      await life.whenStatus('in_waiting_room')
      meeting.deny()
      const { report, exitCode } = await life.outcome
      expect(report).toMatchObject({ status: 'failed', error_code: 'BOT_NOT_ACCEPTED' })
      expect(exitCode).toBe(3)
      for (const file of ['screenshot.png', 'page.html', 'failure.json'])
        expect(existsSync(join(life.folder, 'debug', file)), file).toBe(true)
    })

    test.runIf(platform.givesUpWaiting)('a platform that gives up the waiting is told as a time out', async () => {
      const session = await rig.session(rig.meeting('knock-timeout'))
      await expect(session.enter()).rejects.toMatchObject({ code: 'TIMEOUT_WAITING_TO_START' })
    })

    test('nobody answers within the limit of the job: the knock is withdrawn', async () => {
      const meeting = rig.meeting('waiting-room')
      const life = rig.life(meeting, { timeout_config: { waiting_room_timeout: 2 } })
      const { report } = await life.outcome
      expect(report).toMatchObject({ status: 'failed', error_code: 'TIMEOUT_WAITING_TO_START' })
      await until(
        () => OUT.includes(meeting.state),
        () => `the knock is withdrawn; the page is in ${meeting.state}`,
      )
    })

    test('a stop while waiting withdraws the knock', async () => {
      const meeting = rig.meeting('waiting-room')
      const life = rig.life(meeting)
      await life.whenStatus('in_waiting_room')
      life.stop()
      expect(await life.outcome).toMatchObject({ report: { error_code: 'EXITING_MEETING_BEFORE_RECORD' }, exitCode: 0 })
      expect(OUT).toContain(meeting.state)
    })

    test('a stop before the bot has asked leaves nothing behind', async () => {
      const session = await rig.session(rig.meeting('waiting-room'))
      const joining = session.driver.join(session.stop.signal)
      joining.catch(() => {})
      await until(() => session.meeting.state !== 'none', 'the page is opened')
      session.stop.abort(new Error('stopped'))
      await expect(joining).rejects.toThrow('stopped')
      await session.driver.leave()
      await session.driver.close()
      await until(
        () => OUT.includes(session.meeting.state),
        () => `the page is left; it is in ${session.meeting.state}`,
      )
    })

    test('a link to no meeting is told as one', async () => {
      const life = rig.life(rig.meeting('invalid-link'), { timeout_config: { waiting_room_timeout: 2 } })
      expect((await life.outcome).report.error_code).toBe(platform.invalidLink)
    })

    test('a wall that wants an account is told as one', async () => {
      const session = await rig.session(rig.meeting('login-wall'))
      const refusal: BotError = await session.enter().then(
        () => Promise.reject(new Error('it came in')),
        (error) => error,
      )
      expect(refusal.code).toBe('LOGIN_REQUIRED')
      expect(refusal.message).toContain('browser_state')
    })

    test.runIf(platform.session)('a stored session opens a meeting that is closed to guests', async () => {
      const { name, domain } = platform.session!
      const cookie = { name, domain, value: 'stored', path: '/', expires: -1, httpOnly: true, secure: true }
      const state = { cookies: [{ ...cookie, sameSite: 'Lax' as const }], origins: [] }
      const guest = await rig.session(rig.meeting('signed-in-join'))
      await expect(guest.enter()).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' })
      const session = await rig.session(rig.meeting('signed-in-join'), {
        browserState: { kind: 'storage_state', state },
      })
      await session.enter()
      expect(session.meeting.state).toBe('call')
      await session.driver.leave()
    })
  })

  describe('in the meeting', () => {
    let session: Session
    const people = () => peopleOf(session.events)
    const idOf = (name: string) => people().find((person) => person.name === name)?.id
    beforeAll(async () => {
      session = await rig.session(rig.meeting('open', { people: PEOPLE }), { recordingMode: 'gallery_view' })
    })

    test('an open meeting is joined under the name of the job', async () => {
      expect(await session.driver.join(session.stop.signal)).toBe('in_meeting')
      expect(session.meeting.state).toBe('call')
      expect(session.meeting.botName).toBe(BOT_NAME)
    })

    test('everybody else is told by name, whatever the name looks like, and the bot is not among them', async () => {
      await until(
        () => people().length >= 3,
        () => `three people; told were ${JSON.stringify(people())}`,
      )
      await session.event('heartbeat', ({ others }) => others === 3)
      expect(
        people()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(PEOPLE.map(({ name }) => name).sort())
    })

    test('gallery view shows everybody in the picture of the recording, and no page', async () => {
      await session.driver.prepareRecording(session.stop.signal)
      await picture((shown) => [0, 1, 2].every((look) => shownShare(shown, look) > 0.06))
    })

    test('people of one name are two; a new name is a change and not another person', async () => {
      session.meeting.addPerson({ id: 'dan', name: 'Cléo Ñandú' })
      await until(() => people().filter(({ name }) => name === 'Cléo Ñandú').length === 2, 'two of one name')
      const before = people().map(({ id }) => id)
      session.meeting.renamePerson('dan', 'Dan Dee')
      await session.event('participant_changed', ({ participant }) => participant.name === 'Dan Dee')
      expect(people().map(({ id }) => id)).toEqual(before)
      const dan = idOf('Dan Dee')
      session.meeting.removePerson('dan')
      await session.event('participant_left', ({ participantId }) => participantId === dan)
      await session.event('heartbeat', ({ others }) => others === 3)
    })

    test('who speaks is told within a second of the truth', async () => {
      for (const id of ['ann', 'cleo']) {
        session.meeting.startSpeaking(id)
        await seconds(3)
        session.meeting.stopSpeaking(id)
        await seconds(2)
      }
      const { turns } = session.meeting.truth
      expect(turns.map(({ personId }) => personId)).toEqual(['ann', 'cleo'])
      for (const turn of turns) {
        const id = idOf(turn.name)
        const told = await until(
          () => turnsOf(session.events, id).some(({ to }) => to !== null),
          `${turn.name} spoke`,
        ).then(() => turnsOf(session.events, id))
        const [first, last] = [told[0], told.at(-1)]
        expect(Math.abs(first!.from - turn.startedAt), `${turn.name} began`).toBeLessThan(1000)
        expect(Math.abs(last!.to! - turn.endedAt!), `${turn.name} ended`).toBeLessThan(1500)
      }
      const spoke = new Set(session.events.flatMap((event) => (event.type === 'speaking' ? [event.participantId] : [])))
      expect(spoke, 'nobody else spoke').toEqual(new Set([idOf('Ann Host'), idOf('Cléo Ñandú')]))
    })

    test('a shared screen is told, with who shares it where the page says so', async () => {
      session.meeting.startSharing('ann')
      const { participantId } = await session.event('screen_share', ({ isSharing }) => isSharing)
      expect(participantId).toBe(platform.namesSharer ? idOf('Ann Host') : null)
      session.meeting.stopSharing('ann')
      await session.event('screen_share', ({ isSharing }) => !isSharing)
      expect(people()).toHaveLength(3)
    })

    test('chat is written', async () => {
      const texts = ['Hello 👋 from the bot', 'see https://example.com/?a=1&b=<x>', 'two\nlines']
      for (const text of texts) await session.driver.sendChat(text)
      expect(chatOf(session.meeting)).toEqual(texts)
      await until(
        () => heard(session.events).filter(({ isOwn }) => isOwn).length === 3,
        'the own messages are known as own',
      )
    })

    test('chat is read while the panel is closed, each message once', async () => {
      for (const [id, text] of [
        ['ann', 'ok'],
        ['ann', 'ok'],
        ['ben', 'A <script>alert(1)</script> & 😀'],
      ] as const)
        session.meeting.say(id, text)
      const others = () => heard(session.events).filter(({ isOwn }) => !isOwn)
      await until(() => others().length >= 3, 'all are heard')
      await heartbeats(session.events, 4)
      expect(others().map(({ senderName, text }) => [senderName, text])).toEqual([
        ['Ann Host', 'ok'],
        ['Ann Host', 'ok'],
        ['Ben <b>Bold</b> & "Sons"', 'A <script>alert(1)</script> & 😀'],
      ])
      expect(others().map(({ senderId }) => senderId)).toEqual([
        idOf('Ann Host'),
        idOf('Ann Host'),
        idOf(PEOPLE[1]!.name),
      ])
    })

    test('sound that the bot plays is heard by the others, and it is mute again when told', async () => {
      expect(session.meeting.bot.microphoneOn).toBe(false)
      const tone = Int16Array.from(
        { length: 24_000 * 6 },
        (_, index) => 8000 * Math.sin((index * 2 * Math.PI * 440) / 24_000),
      )
      expect(await session.driver.playSound(tone, 24_000)).toBeGreaterThan(4)
      await until(() => session.meeting.bot.microphoneOn, 'the microphone is on')
      await until(() => session.meeting.bot.sent().audioIsSilent === false, 'the sound is sent')
      await session.driver.clearSound()
      await session.driver.closeMicrophone()
      await until(() => !session.meeting.bot.microphoneOn, 'the microphone is off')
    })

    test('a connection that is lost and comes back ends nothing', async () => {
      session.meeting.loseConnection()
      await session.event('connection', ({ state }) => state === 'lost')
      session.meeting.regainConnection()
      await session.event('connection', ({ state }) => state === 'recovered')
      await heartbeats(session.events, 3)
      expect(session.events.filter(({ type }) => type === 'failed' || type === 'ended')).toEqual([])
    })

    test('leaving leaves the meeting to the others', async () => {
      await session.driver.leave()
      expect(session.meeting.state).toBe('left')
      expect(session.meeting.people).toHaveLength(3)
    })

    async function picture(fits: (shown: Awaited<ReturnType<typeof pictureOf>>) => boolean): Promise<void> {
      const deadline = Date.now() + 60_000
      for (;;) {
        const shown = await pictureOf(await session.driver.screenshot(), rig.folder)
        if (isComposite(shown) && fits(shown)) return
        if (Date.now() > deadline) {
          const shares = [0, 1, 2].map((look) => shownShare(shown, look).toFixed(2))
          throw new Error(`Another picture is shown: composite ${isComposite(shown)}, looks ${shares.join(' ')}`)
        }
        await seconds(0.5)
      }
    }
  })

  describe('a whole life', () => {
    test('speaker view: greets, hears and writes while paused, and is removed', async () => {
      const meeting = rig.meeting('waiting-room', { people: PEOPLE })
      const life = rig.life(meeting, {
        recording_mode: 'speaker_view',
        entry_message: 'This call is being recorded',
        timeout_config: { removed_too_early: 0 },
      })
      await life.whenStatus('in_waiting_room')
      meeting.admit()
      await life.whenStatus('in_call_recording')
      await until(() => chatOf(meeting).length === 1, 'the entry message is written')
      expect(chatOf(meeting)).toEqual(['This call is being recorded'])
      expect(isComposite(await pictureOf(await life.driver!.screenshot(), rig.folder))).toBe(true)

      expect(await life.command({ type: 'pause' })).toMatchObject({ ok: true })
      meeting.say('ben', 'Off the record')
      await life.whenEvent((event) => event.type === 'chat_message' && event.text === 'Off the record', 'it is heard')
      expect(await life.command({ type: 'send_chat', message: 'Still here' })).toMatchObject({ ok: true })
      expect(await life.command({ type: 'resume' })).toMatchObject({ ok: true })
      expect(chatOf(meeting)).toEqual(['This call is being recorded', 'Still here'])
      expect(life.spans).toHaveLength(2)

      meeting.remove()
      const { report } = await life.outcome
      expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED' })
      expect(report.end_message).toContain('removed')
      expect(report.participants.map(({ name }) => name).sort()).toEqual(PEOPLE.map(({ name }) => name).sort())
    })

    test('sound only: shows no picture of its own, and goes when everybody has left', async () => {
      const meeting = rig.meeting('open', { people: PEOPLE.slice(0, 1) })
      const life = rig.life(meeting, { timeout_config: { everyone_left_timeout: 2 } })
      await life.whenStatus('in_call_recording')
      await life.whenEvent((event) => event.type === 'participant_joined', 'Ann is there')
      expect(isComposite(await pictureOf(await life.driver!.screenshot(), rig.folder))).toBe(false)
      meeting.removePerson('ann')
      const { report } = await life.outcome
      expect(report).toMatchObject({ status: 'completed', end_code: 'NO_ATTENDEES' })
      await until(
        () => OUT.includes(meeting.state),
        () => `the meeting is left; the page is in ${meeting.state}`,
      )
    })

    test('silence: goes when nobody has spoken for the time of the job', async () => {
      const meeting = rig.meeting('open')
      const life = rig.life(meeting, { timeout_config: { silence_timeout: 4 } })
      const { report } = await life.outcome
      expect(report).toMatchObject({ status: 'completed', end_code: 'NO_SPEAKER' })
    })

    test('a meeting that is ended for all ends the life, and is told apart from a removal', async () => {
      const meeting = rig.meeting('open')
      const life = rig.life(meeting)
      await life.whenStatus('in_call_recording')
      meeting.endForAll()
      const { report } = await life.outcome
      expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED' })
      expect(report.end_message).toContain('ended')
    })

    test('chat that is switched off is told, and ends nothing', async () => {
      const meeting = rig.meeting('chat-disabled')
      const life = rig.life(meeting, { entry_message: 'Hello' })
      await life.whenStatus('in_call_recording')
      await life.whenEvent((event) => event.type === 'notice' && event.message.includes('entry message'), 'it is said')
      await expect(life.driver!.sendChat('Hello')).rejects.toThrow(ChatUnavailable)
      expect(meeting.state).toBe('call')
      life.stop()
      expect((await life.outcome).report.end_code).toBe('API_REQUEST')
    })
  })
}

/** Who is there now, as told, in the order of coming. */
function peopleOf(events: readonly MeetingEvent[]): Participant[] {
  const present = new Map<string, Participant>()
  for (const event of events) {
    if (event.type === 'participant_joined' || event.type === 'participant_changed')
      present.set(event.participant.id, event.participant)
    if (event.type === 'participant_left') present.delete(event.participantId)
  }
  return [...present.values()]
}

function turnsOf(events: readonly MeetingEvent[], id: string | undefined): { from: number; to: number | null }[] {
  const turns: { from: number; to: number | null }[] = []
  for (const event of events) {
    if (event.type !== 'speaking' || event.participantId !== id) continue
    if (event.isSpeaking) turns.push({ from: event.at, to: null })
    else if (turns.length > 0) turns.at(-1)!.to = event.at
  }
  return turns
}

function heard(events: readonly MeetingEvent[]): ChatMessage[] {
  return events.flatMap((event) => (event.type === 'chat_message' ? [event.message] : []))
}

/** What the bot wrote, as the meeting got it. */
function chatOf(meeting: MockMeeting): string[] {
  return meeting.truth.chat.filter(({ senderId }) => senderId === null).map(({ text }) => text)
}

/** Sound and speech go at natural speed. */
function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000))
}
