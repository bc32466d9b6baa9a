/** One join on each other platform: through its waiting room to the participants and the chat, and out again. */
import { describe, expect, test } from 'vitest'
import { BOT_NAME, until } from '../platforms/conformance/ground.ts'
import { chatOf, OUT, PEOPLE, peopleOf } from '../platforms/conformance/people.ts'
import { JITSI, MICROSOFT_TEAMS, ZOOM, ZOOM_SDK } from '../platforms/conformance/platforms.ts'
import { conformanceRig } from '../platforms/conformance/rig.ts'

describe.each([MICROSOFT_TEAMS, ZOOM, ZOOM_SDK, JITSI])('$name', (platform) => {
  const rig = conformanceRig(platform)

  test('a bot is admitted, knows the participants, reads and writes chat, and leaves', async () => {
    const session = await rig.session(rig.meeting('waiting-room', { people: PEOPLE }))
    const { meeting, driver, events, stop } = session
    expect(await driver.join(stop.signal)).toBe('waiting_room')
    expect(meeting.botName).toBe(BOT_NAME)
    const waiting = driver.waitForAdmission(stop.signal)
    meeting.admit()
    await waiting
    expect(meeting.state).toBe('call')
    await until(
      () => peopleOf(events).length === PEOPLE.length,
      () => `the participants; reported were ${JSON.stringify(peopleOf(events))}`,
    )
    expect(
      peopleOf(events)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(PEOPLE.map(({ name }) => name).sort())
    await driver.sendChat('Hello from the bot')
    expect(chatOf(meeting)).toEqual(['Hello from the bot'])
    meeting.say('ann', 'Hello from Ann')
    await session.event('chat_message', ({ message }) => message.text === 'Hello from Ann')
    await driver.leave()
    await until(
      () => OUT.includes(meeting.state),
      () => `the meeting is left; the page is in ${meeting.state}`,
    )
  })
})
