import { expect, test } from 'vitest'
import type { BotBrowser, OpenBrowser } from '../../../platforms/browser/browser.ts'
import { sharedChromium } from '../shared-chromium.ts'
import { meetHarness, until } from './harness.ts'

const meet = meetHarness()

test('a large meeting: all people and speakers are reported, and the page draws no endless animation', async () => {
  let browser: BotBrowser | undefined
  const open: OpenBrowser = async (...given) => {
    browser = await sharedChromium.open(...given)
    return browser
  }
  const attempt = await meet.inside('large-meeting', { driver: { openBrowser: open, recordingMode: 'speaker_view' } })
  const { meeting, events } = attempt
  await attempt.event('heartbeat', ({ others }) => others === 300)
  const joined = () => events.filter(({ type }) => type === 'participant_joined').length
  await until(() => joined() === 300, 'all 300 people are reported')
  meeting.startSpeaking('p3')
  const { participantId } = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking)
  expect(participantId).toBe(meeting.deviceOf('p3'))

  const animations = () =>
    browser!.page.evaluate(() => {
      const endless = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime === Infinity)
      return { all: endless.length, running: endless.filter(({ playState }) => playState === 'running').length }
    })
  await expect.poll(async () => (await animations()).running).toBe(0)
  // Those of the page and of the speaking person.
  expect((await animations()).all).toBeGreaterThan(8)
  meeting.stopSpeaking('p3')
  await attempt.event('speaking', ({ isSpeaking }) => !isSpeaking)
  // Most rows of the list are out of sight. Pictures are asked for as the page does it by itself.
  expect(events.filter(({ type }) => type === 'participant_left')).toEqual([])
  expect(meeting.log.filter(({ target }) => target === 'incoming-video')).toEqual([])
  // Before a source was heard once, the page's marks may be first.
  meeting.startSpeaking('p3')
  const turns = () => events.flatMap((event) => (event.type === 'speaking' && event.isSpeaking ? [event] : []))
  await until(() => turns().length > 1, 'the second turn is reported')
  expect(turns().at(-1)).toMatchObject({ source: 'csrc', participantId })
})
