/** A bot in a meeting of Google Meet: getting in, chat, participants, and the ways in which it ends. */
import { expect, test } from 'vitest'
import { BOT_NAME, until } from '../platforms/conformance/ground.ts'
import { chatOf, heard, PEOPLE, peopleOf } from '../platforms/conformance/people.ts'
import { GOOGLE_MEET } from '../platforms/conformance/platforms.ts'
import { conformanceRig } from '../platforms/conformance/rig.ts'

const rig = conformanceRig(GOOGLE_MEET)

test('an open meeting is joined under the name of the job, and left to the others', async () => {
  const { meeting, driver, stop } = await rig.session(rig.meeting('open', { people: PEOPLE }))
  expect(await driver.join(stop.signal)).toBe('in_meeting')
  expect(meeting.state).toBe('call')
  expect(meeting.botName).toBe(BOT_NAME)
  await driver.leave()
  await until(() => meeting.state === 'left', 'the meeting is left')
  expect(meeting.people).toHaveLength(PEOPLE.length)
})

test('a waiting room is waited in, and admission leads into the meeting', async () => {
  const { meeting, driver, stop } = await rig.session(rig.meeting('waiting-room'))
  expect(await driver.join(stop.signal)).toBe('waiting_room')
  expect(meeting.truth.admittedAt).toBeNull()
  const waiting = driver.waitForAdmission(stop.signal)
  meeting.admit()
  await waiting
  expect(meeting.state).toBe('call')
})

test('a denial ends the run as a denial', async () => {
  const meeting = rig.meeting('waiting-room')
  const life = rig.life(meeting)
  await life.whenStatus('in_waiting_room')
  meeting.deny()
  const { report, exitCode } = await life.outcome
  expect(report).toMatchObject({ status: 'failed', error_code: 'BOT_NOT_ACCEPTED' })
  expect(exitCode).toBe(3)
})

test('a removal ends the run with what was recorded', async () => {
  const meeting = rig.meeting('open', { people: PEOPLE })
  const life = rig.life(meeting, { timeout_config: { removed_too_early: 0 } })
  await life.whenStatus('in_call_recording')
  meeting.remove()
  const { report, exitCode } = await life.outcome
  expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED' })
  expect(report.end_message).toContain('removed')
  expect(exitCode).toBe(0)
})

test('chat is written and read, each message once', async () => {
  const session = await rig.session(rig.meeting('open', { people: PEOPLE }))
  await session.enter()
  const { meeting, driver, events } = session
  await driver.sendChat('Hello 👋\nfrom the bot')
  expect(chatOf(meeting)).toEqual(['Hello 👋\nfrom the bot'])
  meeting.say('ann', 'A <script>alert(1)</script> & 😀')
  meeting.say('ben', 'The last one')
  await session.event('chat_message', ({ message }) => message.text === 'The last one')
  await until(() => heard(events).length >= 3, 'the own message is heard')
  expect(
    heard(events)
      .map(({ isOwn, senderName, text }) => (isOwn ? text : `${senderName}: ${text}`))
      .sort(),
  ).toEqual([
    'Ann Host: A <script>alert(1)</script> & 😀',
    'Ben <b>Bold</b> & "Sons": The last one',
    'Hello 👋\nfrom the bot',
  ])
})

test('participants come, speak and leave, and who spoke is known', async () => {
  const session = await rig.session(rig.meeting('open', { people: PEOPLE }))
  await session.enter()
  const { meeting, events } = session
  meeting.addPerson({ id: 'dan', name: 'Dan Dee' })
  const { participant: dan } = await session.event(
    'participant_joined',
    (event) => event.participant.name === 'Dan Dee',
  )
  await until(() => peopleOf(events).length === 4, 'four participants')
  expect(
    peopleOf(events)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...PEOPLE.map(({ name }) => name), 'Dan Dee'].sort())
  const ids = new Map(peopleOf(events).map(({ id, name }) => [name, id]))
  for (const [person, name] of [
    ['cleo', 'Cléo Ñandú'],
    ['dan', 'Dan Dee'],
  ] as const) {
    meeting.startSpeaking(person)
    await session.event('speaking', ({ isSpeaking, participantId }) => isSpeaking && participantId === ids.get(name))
    meeting.stopSpeaking(person)
    await session.event('speaking', ({ isSpeaking, participantId }) => !isSpeaking && participantId === ids.get(name))
  }
  const spoke = new Set(events.flatMap((event) => (event.type === 'speaking' ? [event.participantId] : [])))
  expect(spoke).toEqual(new Set([ids.get('Cléo Ñandú'), dan.id]))
  meeting.removePerson('dan')
  await session.event('participant_left', ({ participantId }) => participantId === dan.id)
})
