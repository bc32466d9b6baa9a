/** Both generations read links as the worker does: the same refusals, and one key for all spellings of a meeting. */
import { newerGeneration } from '@standin/control-plane/api/v2/index.ts'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { describe, expect, test } from 'vitest'
import { olderGeneration } from '../../../control-plane/api/older/index.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ api: { generations: [newerGeneration, olderGeneration] } })

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test.each([
  ['https://us02web.zoom.us/j/', 'no meeting number'],
  ['https://us02web.zoom.us/j/855', 'no meeting number'],
  ['https://zoom.us/', 'no meeting number'],
  ['https://support.zoom.us/hc/en-us', 'no meeting number'],
  ['https://us02web.zoom.us/u/kdkSfFBB9D', 'telephone numbers'],
  ['https://events.zoom.us/ejl/AbCdEf', 'ticket holders'],
  ['https://meet.google.com', 'home page'],
  ['https://meet.google.com/landing', 'home page'],
  ['https://teams.microsoft.com/meet/261', 'no meeting number'],
  ['https://teams.microsoft.com/l/meetup-join/19:meeting_abc@thread.v2/0?context=', 'cut off'],
  ['https://dialin.teams.microsoft.com/abc', 'no meeting'],
  ['https://meet.jit.si/', 'home page'],
  ['https://evil.example/?u=https%3A%2F%2Fmeet.google.com%2Fabc-defg-hij', 'not a meeting link'],
])("%s is refused with the worker's sentence: %s", async (meeting_url, part) => {
  const { problem } = readMeeting(meeting_url) as { problem: string }
  expect(problem).toContain(part)
  const team = await world.team()
  const bot = { bot_name: 'Notes', meeting_url }
  const refused = {
    status: 400,
    body: { code: 'FST_ERR_INVALID_MEETING_PLATFORM', message: `meeting_url: ${problem}` },
  }
  expect(await team.post('/v2/bots', bot)).toMatchObject(refused)
  expect(await team.post('/v2/bots/scheduled', { ...bot, join_at: inAnHour() })).toMatchObject(refused)
  expect((await team.post('/v2/bots/batch', [bot])).body.errors).toMatchObject([{ message: `meeting_url: ${problem}` }])
  expect((await team.post('/v2/bots/scheduled/batch', [{ ...bot, join_at: inAnHour() }])).body.errors).toMatchObject([
    { message: `meeting_url: ${problem}` },
  ])
  expect(await team.post('/bots', bot)).toMatchObject({
    status: 400,
    body: { code: 'InvalidMeetingUrl', error: expect.stringContaining(problem) },
  })
  expect(await world.rows('bots', { team_id: team.teamId }, ['id'])).toEqual([])
})

test('the bot keeps the link of an invitation, with its passcode and without a wrapper', async () => {
  const team = await world.team()
  const stored = async (path: string, meeting_url: string) => {
    const { body } = await team.post(path, {
      bot_name: 'Notes',
      meeting_url,
      ...(path === '/bots' && { deduplication_key: meeting_url.slice(0, 20) }),
    })
    const id = body.bot_id ?? body.data.bot_id
    return (await world.row(id)).meeting_url
  }
  const link = 'https://us02web.zoom.us/j/85512345678?pwd=554433'
  const wrapped = `https://nam02.safelinks.protection.outlook.com/?url=${encodeURIComponent(link)}&data=x`
  expect(await stored('/v2/bots', wrapped)).toBe(link)
  expect(await stored('/bots', wrapped)).toBe(link)
  // Only the older generation takes text that is no URI.
  expect(await stored('/bots', 'Join: https://us02web.zoom.us/j/85512345678\nKenncode: 554433')).toBe(link)
  expect(await stored('/bots', 'us02web.zoom.us/j/85512345678?pwd=554433')).toBe(link)
})

describe('two bots in one meeting', () => {
  test.each([
    ['https://meet.google.com/kqa-wxyz-abc', 'https://meet.google.com/kqa-wxyz-abc?authuser=1'],
    ['https://meet.google.com/kqa-wxyz-abc', 'https://meet.google.com/kqa-wxyz-abc?hs=122&pli=1'],
    ['https://meet.google.com/kqa-wxyz-abc', 'https://meet.google.com/KQA-WXYZ-ABC'],
    ['https://us02web.zoom.us/j/85511110001?pwd=AbC', 'https://zoom.us/j/85511110001?pwd=AbC'],
    ['https://us02web.zoom.us/j/85511110004', 'https://us02web.zoom.us/wc/join/85511110004'],
    ['https://us02web.zoom.us/j/85511110004', 'https://us02web.zoom.us/launch/jc/85511110004'],
  ])('%s and %s are refused as duplicates', async (first, second) => {
    const team = await world.team()
    const send = (meeting_url: string) =>
      team.post('/v2/bots', { bot_name: 'A', meeting_url, allow_multiple_bots: false })
    expect((await send(first)).status).toBe(201)
    expect((await send(second)).status).toBe(409)
    const older = await world.team()
    expect((await older.post('/bots', { bot_name: 'A', meeting_url: first })).status).toBe(200)
    expect((await older.post('/bots', { bot_name: 'A', meeting_url: second })).status).toBe(409)
  })
})
