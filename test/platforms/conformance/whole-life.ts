/** Promises that the driver and the worker keep together: whole worker runs, with a recorder that only counts. */
import { expect } from 'vitest'
import { ChatUnavailable } from '../../../packages/core/errors.ts'
import { until } from './ground.ts'
import { chatOf, PEOPLE, whenOut } from './people.ts'
import { isComposite, pictureOf } from './pictures.ts'
import { type PlatformUnderTest, ZOOM_SDK } from './platforms.ts'
import type { AddRows } from './rows.ts'

export function wholeLife(platform: PlatformUnderTest, { ofPage, ofSharedCode, ofWholeLife }: AddRows): void {
  // A whole bot records on the other platforms in test/end-to-end/platforms.system.test.ts.
  const ofWholeBot = platform === ZOOM_SDK ? ofPage : ofSharedCode
  ofWholeBot('speaker view: greets, hears and writes while paused, and is removed', async (rig) => {
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

  ofWholeLife(
    'sound only: the bot shows no composite, and leaves when every other participant has left',
    async (rig) => {
      const meeting = rig.meeting('open', { people: PEOPLE.slice(0, 1) })
      const life = rig.life(meeting, { timeout_config: { everyone_left_timeout: 2 } })
      await life.whenStatus('in_call_recording')
      await life.whenEvent((event) => event.type === 'participant_joined', 'Ann is there')
      expect(isComposite(await pictureOf(await life.driver!.screenshot(), rig.folder))).toBe(false)
      meeting.removePerson('ann')
      const { report } = await life.outcome
      expect(report).toMatchObject({ status: 'completed', end_code: 'NO_ATTENDEES' })
      await whenOut(meeting)
    },
  )

  ofWholeLife('silence: the bot leaves when no participant has spoken for the time in the job', async (rig) => {
    const meeting = rig.meeting('open')
    const life = rig.life(meeting, { timeout_config: { silence_timeout: 4 } })
    const { report } = await life.outcome
    expect(report).toMatchObject({ status: 'completed', end_code: 'NO_SPEAKER' })
  })

  ofWholeLife('a meeting that the host ends for all ends the run, and is distinguished from a removal', async (rig) => {
    const meeting = rig.meeting('open')
    const life = rig.life(meeting)
    await life.whenStatus('in_call_recording')
    meeting.endForAll()
    const { report } = await life.outcome
    expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED' })
    expect(report.end_message).toContain('ended')
  })

  ofWholeLife('chat that the host has switched off is reported, and does not end the run', async (rig) => {
    const meeting = rig.meeting('chat-disabled')
    const life = rig.life(meeting, { entry_message: 'Hello' })
    await life.whenStatus('in_call_recording')
    await life.whenEvent((event) => event.type === 'notice' && event.message.includes('entry message'), 'it is said')
    await expect(life.driver!.sendChat('Hello')).rejects.toThrow(ChatUnavailable)
    expect(meeting.state).toBe('call')
    life.stop()
    expect((await life.outcome).report.end_code).toBe('API_REQUEST')
  })
}
