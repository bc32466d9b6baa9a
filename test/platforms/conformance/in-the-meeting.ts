/**
 * Promises of one meeting, kept one after the other: who is there, who speaks, chat both ways, sound, a lost
 * connection.
 */
import { expect } from 'vitest'
import { shownShare } from '../../media/meeting-recording.ts'
import { chatInFull } from './chat.ts'
import { BOT_NAME, heartbeats, until } from './ground.ts'
import { chatOf, heard, PEOPLE, peopleOf, seconds, turnsOf } from './people.ts'
import { isComposite, pictureOf, pictureOfColor, strongest } from './pictures.ts'
import { JITSI, MICROSOFT_TEAMS, type PlatformUnderTest } from './platforms.ts'
import type { Session } from './rig.ts'
import type { AddRows } from './rows.ts'

export function inTheMeeting(platform: PlatformUnderTest, rows: AddRows): void {
  const { ofPage, ofSharedCode } = rows
  let session: Session
  const people = () => peopleOf(session.events)
  const idOf = (name: string) => people().find((person) => person.name === name)?.id

  ofPage('an open meeting is joined under the name of the job', async (rig) => {
    session = await rig.session(rig.meeting('open', { people: PEOPLE }), { recordingMode: 'gallery_view' }, 'keep')
    expect(await session.driver.join(session.stop.signal)).toBe('in_meeting')
    expect(session.meeting.state).toBe('call')
    expect(session.meeting.botName).toBe(BOT_NAME)
  })

  ofPage(
    'every other participant is reported by name, with any characters in it, and the bot is not among them',
    async () => {
      await until(
        () => people().length >= 3,
        () => `three people; reported were ${JSON.stringify(people())}`,
      )
      await session.event('heartbeat', ({ others }) => others === 3)
      const names = people().map(({ name }) => name)
      expect(names.sort()).toEqual(PEOPLE.map(({ name }) => name).sort())
    },
  )

  ofPage('gallery view shows every participant in the picture of the recording, and not the page', async (rig) => {
    await session.driver.prepareRecording(session.stop.signal)
    const shown = async () => {
      const picture = await pictureOf(await session.driver.screenshot(), rig.folder)
      return {
        isComposite: isComposite(picture),
        least: Math.min(...[0, 1, 2].map((look) => shownShare(picture, look))),
      }
    }
    const isShown = expect.poll(shown, { timeout: 60_000, interval: 500 })
    await isShown.toEqual({ isComposite: true, least: expect.toSatisfy((share) => share > 0.06) })
  })

  ofPage('a camera that is on is reported once, and a camera that is off is not', async () => {
    const lit = people().map(({ id }) => id)
    session.meeting.addPerson({ id: 'dora', name: 'Dora Dark', camera: false })
    const { participant: dora } = await session.event('participant_joined', (event) =>
      event.participant.name.startsWith('Dora'),
    )
    const cameras = () => session.events.flatMap((event) => (event.type === 'camera' ? [event.participantId] : []))
    await until(
      () => cameras().length >= lit.length,
      () => `the cameras; reported were ${JSON.stringify(cameras())}`,
    )
    await heartbeats(session.events, 4)
    expect(cameras().sort()).toEqual(lit.sort())
    session.meeting.removePerson('dora')
    await session.event('participant_left', ({ participantId }) => participantId === dora.id)
  })

  ofPage('people of one name are two; a new name is a change and not another person', async () => {
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

  // A row may run a second time in the same meeting, so each looks at what came after it began.
  ofPage('the speaker is reported, with the times of the turn', async () => {
    const [earlier, before] = [session.meeting.truth.turns.length, session.events.length]
    const turns = () => session.meeting.truth.turns.slice(earlier)
    const reportedOf = (name: string) => turnsOf(session.events.slice(before), idOf(name))
    for (const [id, name] of [
      ['ann', 'Ann Host'],
      ['cleo', 'Cléo Ñandú'],
    ] as const) {
      session.meeting.startSpeaking(id)
      await until(() => reportedOf(name).length > 0, `${name} is reported`)
      await seconds(1)
      session.meeting.stopSpeaking(id)
      await until(
        () => turns().at(-1)?.endedAt != null && reportedOf(name).at(-1)?.to != null,
        `the end of ${name}'s turn is reported`,
      )
    }
    expect(turns().map(({ personId }) => personId)).toEqual(['ann', 'cleo'])
    for (const turn of turns()) {
      const reported = reportedOf(turn.name)
      // Beside other tests; to the millisecond it is measured in test/diarization.
      expect(Math.abs(reported[0]!.from - turn.startedAt), `${turn.name} began`).toBeLessThan(10_000)
      expect(Math.abs(reported.at(-1)!.to! - turn.endedAt!), `${turn.name} ended`).toBeLessThan(10_000)
    }
    const spoke = new Set(session.events.flatMap((event) => (event.type === 'speaking' ? [event.participantId] : [])))
    expect(spoke, 'nobody else spoke').toEqual(new Set([idOf('Ann Host'), idOf('Cléo Ñandú')]))
  })

  ofPage('a shared screen is reported, with its sharer where the page names one', async () => {
    session.meeting.startSharing('ann')
    const { participantId } = await session.event('screen_share', ({ isSharing }) => isSharing)
    expect(participantId).toBe(platform.hidesSharer ? null : idOf('Ann Host'))
    session.meeting.stopSharing('ann')
    await session.event('screen_share', ({ isSharing }) => !isSharing)
    expect(people()).toHaveLength(3)
  })

  ofPage('chat is written', async () => {
    const texts = ['Hello 👋 from the bot', 'see https://example.com/?a=1&b=<x>', 'two\nlines']
    const [sent, before] = [chatOf(session.meeting).length, session.events.length]
    for (const text of texts) await session.driver.sendChat(text)
    expect(chatOf(session.meeting).slice(sent)).toEqual(texts)
    await until(
      () => heard(session.events.slice(before)).filter(({ isOwn }) => isOwn).length === 3,
      'the own messages are known as own',
    )
  })

  ofPage('chat is read while the panel is closed, each message once', async () => {
    const before = session.events.length
    for (const [id, text] of [
      ['ann', 'ok'],
      ['ann', 'ok'],
      ['ben', 'A <script>alert(1)</script> & 😀'],
    ] as const)
      session.meeting.say(id, text)
    const others = () => heard(session.events.slice(before)).filter(({ isOwn }) => !isOwn)
    await until(() => others().length >= 3, 'all are heard')
    await heartbeats(session.events, 4)
    const { name } = PEOPLE[1]!
    expect(others().map(({ senderName, senderId, text }) => [senderName, senderId, text])).toEqual([
      ['Ann Host', idOf('Ann Host'), 'ok'],
      ['Ann Host', idOf('Ann Host'), 'ok'],
      [name, idOf(name), 'A <script>alert(1)</script> & 😀'],
    ])
  })

  chatInFull(platform, rows, () => session)

  ofPage('participants receive the sound that the bot plays, and the bot mutes its microphone on command', async () => {
    expect(session.meeting.bot.microphoneOn).toBe(false)
    const hertz = (2 * Math.PI * 440) / 24_000
    const tone = Int16Array.from({ length: 24_000 * 6 }, (_, index) => 8000 * Math.sin(index * hertz))
    expect(await session.driver.playSound(tone, 24_000)).toBeGreaterThan(4)
    await until(() => session.meeting.bot.microphoneOn, 'the microphone is on')
    await until(() => session.meeting.bot.sent().audioIsSilent === false, 'the sound is sent')
    await session.driver.clearSound()
    await session.driver.closeMicrophone()
    await until(() => !session.meeting.bot.microphoneOn, 'the microphone is off')
  })

  // Microsoft Teams and Jitsi Meet have a separate test with a camera. The change of the picture is shared code.
  const hasCameraTest = platform === MICROSOFT_TEAMS || platform === JITSI
  const ofCamera = hasCameraTest ? ofSharedCode : ofPage
  ofCamera(
    'another picture of the bot is seen by the others, and one that could not be loaded changes nothing',
    async (rig) => {
      const [red, blue] = ['#ff0000', '#0000ff'].map(pictureOfColor)
      const other = await rig.session(rig.meeting('open', { people: PEOPLE }), { botImages: [red!, blue!, null] })
      await other.enter()
      await until(() => other.meeting.bot.cameraOn, 'the camera is on')
      const seen = async () => strongest(await other.meeting.bot.savedCamera(), rig.folder)
      await expect.poll(seen, { timeout: 60_000 }).toBe('red')
      await other.driver.showImage(1)
      await expect.poll(seen, { timeout: 60_000 }).toBe('blue')
      await other.driver.showImage(2)
      expect(await seen()).toBe('blue')
      await other.driver.showImage(0)
      await expect.poll(seen, { timeout: 60_000 }).toBe('red')
      await other.driver.leave()
    },
  )

  ofPage('a connection that is lost and comes back ends nothing', async () => {
    session.meeting.loseConnection()
    await session.event('connection', ({ state }) => state === 'lost')
    session.meeting.regainConnection()
    await session.event('connection', ({ state }) => state === 'recovered')
    await heartbeats(session.events, 3)
    expect(session.events.filter(({ type }) => type === 'failed' || type === 'ended')).toEqual([])
  })

  ofPage('leaving leaves the meeting to the others', async () => {
    await session.driver.leave()
    await expect.poll(() => session.meeting.state).toBe('left')
    expect(session.meeting.people).toHaveLength(3)
  })
}
