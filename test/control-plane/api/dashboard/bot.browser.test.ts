/** The page of one bot: player, lanes and transcript in sync, and a recording of several parts. */

import { readFile } from 'node:fs/promises'
import type { BotPatch } from '@standin/control-plane/store/rows/index.ts'
import type { Page } from 'playwright'
import { beforeEach, expect, test } from 'vitest'
import { type BotInMeeting, HOSTILE, LONG, lineOf, openBrowserWorld, personOf, silence } from './browser-world.ts'
import { agree, seriousOf } from './pages.ts'

const SECONDS = 120
let team: Awaited<ReturnType<typeof world.team>>
let page: Page
let problems: string[]

const world = await openBrowserWorld()
beforeEach(async () => {
  team = await world.team()
  ;({ page, problems } = await world.signIn(team))
  return () => page.context().close()
})

const setBot = ({ id }: BotInMeeting, patch: BotPatch) => world.set(id, patch)
const played = () => page.locator('audio').evaluate((audio) => (audio as HTMLAudioElement).currentTime)
const isPaused = () => page.locator('audio').evaluate((audio) => (audio as HTMLAudioElement).paused)
const markedLine = () => page.locator('.lines [aria-current=true]')

/** A line every two seconds, by two people in turn. */
const lines = Array.from({ length: SECONDS / 2 }, (_, place) => ({
  speaker: place % 2 === 0 ? 'Ana Kovač' : HOSTILE,
  start: place * 2,
  end: place * 2 + 2,
  text: place === 40 ? 'Let us buy a ZEPPELIN' : `Line ${place}`,
}))

async function recordedBot(): Promise<BotInMeeting> {
  const bot = await world.botInMeeting(team)
  await world.storeFile(bot, 'audio.m4a', silence(SECONDS))
  await world.storeFile(bot, 'transcription.json', JSON.stringify({ result: { utterances: lines } }))
  const turns = lines.map(({ speaker, start, end }) => JSON.stringify({ speaker, start_time: start, end_time: end }))
  await world.storeFile(bot, 'diarization.jsonl', `${turns.join('\n')}\nno JSON\n`)
  const now = new Date()
  await setBot(bot, { status: 'completed', phase: 'closed', duration_seconds: SECONDS, ended_at: now, exited_at: now })
  return bot
}

async function visit({ id }: BotInMeeting) {
  await page.goto(`${world.address}/dashboard/bots/${id}`)
  await page.locator('h1').waitFor(LONG)
}

test('a click on a line of the transcript plays from there, and the played line is marked and kept in view', async () => {
  await visit(await recordedBot())
  await page.locator('.line', { hasText: 'Line 5' }).first().click()
  await expect.poll(played, LONG).toBeGreaterThanOrEqual(10)
  expect(await isPaused()).toBe(false)
  await expect.poll(() => markedLine().textContent(), LONG).toContain('Line 5')
  await page.locator('audio').evaluate((audio) => (audio as HTMLAudioElement).pause())
  // A place far away: the list scrolls by itself while the mouse is elsewhere.
  await page.locator('h1').hover()
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.locator('audio').evaluate((audio) => {
    ;(audio as HTMLAudioElement).currentTime = 101
  })
  await expect.poll(() => markedLine().textContent(), LONG).toContain('Line 50')
  const isInView = () =>
    markedLine().evaluate((line) => {
      const [row, list] = [line.getBoundingClientRect(), line.parentElement!.getBoundingClientRect()]
      return row.top >= list.top && row.bottom <= list.bottom
    })
  await expect.poll(isInView, LONG).toBe(true)
  expect(await markedLine().count()).toBe(1)
  expect(await page.title()).not.toBe('owned')
  expect(problems).toEqual([])
})

test('the transcript is searched, and what is found is marked and played by Enter', async () => {
  await visit(await recordedBot())
  await page.locator('.line').first().waitFor(LONG)
  await page.keyboard.press('/')
  await page.keyboard.type('zeppelin')
  await page.locator('mark', { hasText: 'ZEPPELIN' }).waitFor(LONG)
  await page.getByText('1 of 60').waitFor(LONG)
  await page.keyboard.press('Enter')
  await expect.poll(played, LONG).toBeGreaterThanOrEqual(80)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('.line').count(), LONG).toBe(60)
  expect(await markedLine().textContent()).toContain('ZEPPELIN')
})

test('lanes show who spoke, and are used by mouse and keyboard', async () => {
  await visit(await recordedBot())
  const slider = page.getByRole('slider', { name: 'Position in the recording' })
  await slider.waitFor(LONG)
  expect(await page.locator('.lanes .names').textContent()).toBe(`Ana Kovač${HOSTILE}`)
  expect(await page.locator('.tracks .lane').count()).toBe(2)
  const { width } = (await slider.boundingBox())!
  await slider.click({ position: { x: width / 2, y: 10 } })
  await expect.poll(async () => Math.round(await played()), LONG).toBe(SECONDS / 2)
  await slider.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect.poll(async () => Math.round(await played()), LONG).toBe(SECONDS / 2 + 10)
  expect(await slider.getAttribute('aria-valuenow')).toMatch(/^(69|70)$/)
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/^1:(09|10), .* speaking$/)
  await page.keyboard.press('Home')
  await expect.poll(played, LONG).toBe(0)
  await page.keyboard.press('l')
  await expect.poll(played, LONG).toBe(10)
  await page.keyboard.press('k')
  await expect.poll(isPaused, LONG).toBe(false)
  await page.keyboard.press('k')
  await expect.poll(isPaused, LONG).toBe(true)
})

test('a recording of two parts says so, and marks the gap in lanes, list and timeline', async () => {
  const bot = await recordedBot()
  await setBot(bot, {
    attempt: 2,
    parts: [
      { attempt: 1, seconds: 60, code: 'OOM_KILLED', reason: 'It had no memory left.' },
      { attempt: 2, seconds: 60, code: null, reason: null },
    ],
  })
  const steps = [
    { attempt: 1, kind: 'lost', reason: 'The bot was lost in the meeting. Another attempt goes back into it.' },
    { attempt: 2, kind: 'resumed', reason: 'The bot records again.', evidence: '{"missing_seconds": 12.5}' },
  ]
  await world.insert('bot_steps', ...steps.map((step) => ({ bot_id: bot.id, at: new Date(), evidence: null, ...step })))
  await visit(bot)
  await page.getByText('The recording has 2 parts').waitFor(LONG)
  await page.locator('.gaps', { hasText: '12.5 s of the meeting are missing at 1:00.' }).waitFor(LONG)
  await page.locator('.tracks .gap[title="12.5 s of the meeting are missing at 1:00."]').waitFor(LONG)
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await page.locator('.timeline .lost').waitFor(LONG)
  await page.locator('.timeline .resumed').waitFor(LONG)
  await page.getByRole('button', { name: '1:00', exact: true }).click()
  await expect.poll(played, LONG).toBeGreaterThanOrEqual(60)
})

test('a bot that joins again, and one whose parts are joined, say so and offer only what works', async () => {
  const bot = await world.botInMeeting(team, 'Minutes')
  const lost = [{ attempt: 1, seconds: 60, code: 'OOM_KILLED', reason: 'It had no memory left.' }]
  await setBot(bot, {
    phase: 'due',
    parts: lost,
    resuming_since: new Date(),
    joined_attempt: null,
    version: 50,
  })
  await visit(bot)
  await page.getByText('A new attempt is rejoining it.').waitFor(LONG)
  await page.getByRole('button', { name: 'Leave the meeting' }).waitFor(LONG)
  await setBot(bot, { phase: 'assembling', resuming_since: null, joined_attempt: 1, version: 51 })
  await page.getByText('The parts of the recording are being merged.').waitFor(LONG)
  await page.locator('h1 .status', { hasText: 'Merging the parts' }).waitFor(LONG)
  expect(await page.getByRole('button', { name: 'Leave the meeting' }).count()).toBe(0)
})

test('while the meeting runs the page shows the last picture and its captions', async () => {
  const bot = await world.botInMeeting(team, 'Minutes')
  await bot.report({ type: 'participant_joined', participant: personOf('Ana Kovač'), offset: 0 })
  await bot.report(lineOf('Ana Kovač', 'Good morning', 61, 62))
  await visit(bot)
  await page.getByText('Waiting for the screenshot …').waitFor(LONG)
  await page.locator('.line', { hasText: 'Good morning' }).waitFor(LONG)
  expect(await page.locator('.line', { hasText: 'Good morning' }).textContent()).toContain('1:01')
  // Words that may still change are replaced in place, here and in the picture, until they are final.
  const ana = { id: 1, name: 'Ana Kovač', platform_id: 'p-1' }
  const partial = (text: string) =>
    world.dependencies.partials.receive(
      JSON.stringify([
        {
          ...{ botId: bot.id, attempt: 1, at: new Date().toISOString() },
          transcript: {
            ...{
              type: 'transcript',
              id: 'm7',
              text,
              is_final: false,
              speaker: ana,
              start: 63,
              end: 64,
              language: null,
            },
          },
        },
      ]),
    )
  partial('shall we')
  await page.locator('.line', { hasText: 'shall we' }).waitFor(LONG)
  partial('shall we begin')
  await page.locator('.line', { hasText: 'shall we begin' }).waitFor(LONG)
  await page.locator('.shot-captions', { hasText: 'Ana Kovač shall we begin' }).waitFor(LONG)
  const [name, said] = await Promise.all(
    ['b', '> bdi'].map((part) => page.locator(`.shot-captions p ${part}`).first().boundingBox()),
  )
  expect(said!.x - name!.x - name!.width, 'space between the name and the words').toBeGreaterThan(1)
  expect(await page.locator('.line').count()).toBe(2)
  await bot.report({ ...lineOf('Ana Kovač', 'Shall we begin?', 63, 64), id: 'm7' } as never)
  world.dependencies.eventTail.wake([bot.id])
  await page.locator('.line', { hasText: 'Shall we begin?' }).waitFor(LONG)
  expect(await page.locator('.line').count()).toBe(2)
})

test('each part of the way has its time; the current one counts, and a wait in the waiting room says when it ends', async () => {
  const bot = await world.botInMeeting(team, 'Minutes')
  await bot.report({ type: 'status_change', status: 'in_waiting_room' })
  await setBot(bot, {
    status: 'in_waiting_room',
    version: 50,
    request: { timeout_config: { waiting_room_timeout: 300 } },
  })
  await world.insert(
    'bot_steps',
    ...[
      ['joining_call', 60],
      ['in_waiting_room', 50],
    ].map(([status, ago]) => ({
      bot_id: bot.id,
      attempt: 1,
      at: new Date(Date.now() - Number(ago) * 1000),
      kind: 'status',
      reason: null,
      evidence: JSON.stringify({ status }),
    })),
  )
  await visit(bot)
  const milestone = (name: string) => page.locator('.stepper li', { hasText: name })
  await milestone('Waiting room')
    .getByText(/^leaves in 4:0\d$/)
    .waitFor(LONG)
  expect(await milestone('Joining').textContent()).toBe('Joining0:10')
  expect(await milestone('Recording').textContent()).toBe('Recording–')
  const before = await milestone('Waiting room').textContent()
  await expect.poll(() => milestone('Waiting room').textContent(), LONG).not.toBe(before)
})

test('tabs have talk time, files to download, and what a program would ask; arrows move between them', async () => {
  const bot = await recordedBot()
  await setBot(bot, { participants: [{ name: 'Nobody' }, { name: HOSTILE }, { name: 'Ana Kovač' }] })
  await visit(bot)
  const panel = page.getByRole('tabpanel')
  await panel.getByRole('row', { name: 'Nobody 0:00' }).waitFor(LONG)
  await panel.getByRole('row', { name: 'Ana Kovač 1:00 50 %' }).waitFor(LONG)
  await page.getByRole('tab', { name: 'Participants' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  const row = panel.getByRole('row', { name: /audio\.m4a 960 kB/ })
  await row.waitFor(LONG)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('link', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('audio.m4a')
  await page.getByRole('tab', { name: 'JSON' }).click()
  await panel.getByText(`/v2/bots/${bot.id}/timeline -H`).waitFor(LONG)
  expect(JSON.parse((await panel.locator('pre').textContent())!)).toMatchObject({ bot_id: bot.id, status: 'completed' })
  expect(new URL(page.url()).searchParams.get('tab')).toBe('json')
  expect(problems).toEqual([])
})

test('a recording without a transcript offers to make one, and says why that fails', async () => {
  const bot = await world.botInMeeting(team, 'Minutes')
  await world.storeFile(bot, 'audio.m4a', silence(SECONDS))
  const now = new Date()
  await setBot(bot, { status: 'completed', phase: 'closed', duration_seconds: SECONDS, ended_at: now, exited_at: now })
  await visit(bot)
  await page.getByText('No transcript was requested.').waitFor(LONG)
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/retranscribe')) asked += 1
  })
  await page.getByRole('button', { name: 'Make a transcript' }).click()
  await expect.poll(() => asked, LONG).toBe(1)
})

test('a failed bot says who can change it and what helps', async () => {
  const bot = await world.botInMeeting(team, 'Minutes')
  const now = new Date()
  await setBot(bot, {
    status: 'failed',
    phase: 'closed',
    error_code: 'BOT_NOT_ACCEPTED',
    reason: 'denied_by_platform',
    report: { reason_evidence: [{ seen: 'denied: Ask to join again', at: now.toISOString() }] },
    ended_at: now,
    exited_at: now,
    version: 9,
  })
  await visit(bot)
  const notice = page.locator('.notice')
  await notice.getByText('The platform denied the bot at once.').waitFor(LONG)
  await notice.getByText(/^The host of the meeting can change it. Let guests ask to join/).waitFor(LONG)
  expect(await notice.getByText('denied: Ask to join again').isVisible()).toBe(false)
  await notice.getByText('Details').click()
  await notice.getByText('denied: Ask to join again').waitFor(LONG)
  expect(await notice.getByRole('link', { name: 'All reasons' }).getAttribute('href')).toContain('/help/errors')
  const hosts = notice.getByRole('link', { name: 'Page for the host' })
  expect(await hosts.getAttribute('href')).toContain('/help/hosts/denied_by_platform')
  expect(await notice.count()).toBe(1)
  expect(await seriousOf(page)).toEqual([])
  expect(await page.locator('.stepper .failed').textContent()).toContain('Failed')
})

test('the first actions of a finished meeting give its files and its words; deletion names the meeting', async () => {
  const bot = await recordedBot()
  await setBot(bot, { bot_name: 'Weekly: A/B' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visit(bot)
  const download = page.locator('summary', { hasText: 'Download' })
  const saved = async (item: string) => {
    await download.click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.menu .items > *', { hasText: item }).click(),
    ])
    return file
  }
  const today = new Date().toISOString().slice(0, 10)
  expect((await saved('Audio')).suggestedFilename()).toBe('audio.m4a')
  const text = await saved('Transcript as text')
  expect(text.suggestedFilename()).toBe(`Weekly- A-B ${today}.txt`)
  const words = await readFile(await text.path(), 'utf8')
  expect(words).toContain('[0:04] Ana Kovač: Line 2\n')
  await page.getByRole('button', { name: 'Copy transcript' }).click()
  await page.getByText('The transcript was copied.').waitFor(LONG)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(words)
  const more = page.locator('summary[aria-label="More actions"]')
  await more.click()
  expect(await seriousOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await page.getByText('Delete recording and data').isVisible()).toBe(false)
  await more.click()
  await page.getByRole('button', { name: 'Delete recording and data' }).click()
  expect(await agree(page, 'Delete recording and data')).toContain('all data of “Weekly: A/B” (')
  await page.getByText('The recording and all data of this bot were deleted.').first().waitFor(LONG)
  expect(problems).toEqual([])
})
