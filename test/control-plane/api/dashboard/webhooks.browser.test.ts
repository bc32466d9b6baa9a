/** The page of webhooks: endpoints are edited, disabled and deleted, and deliveries show payload and answers. */
import type { Page } from 'playwright'
import { beforeEach, expect, test } from 'vitest'
import { HOSTILE, LONG, openBrowserWorld } from './browser-world.ts'
import { agree } from './pages.ts'

let team: Awaited<ReturnType<typeof world.team>>
let page: Page
let problems: string[]

const world = await openBrowserWorld()
beforeEach(async () => {
  team = await world.team()
  ;({ page, problems } = await world.signIn(team))
  return () => page.context().close()
})

async function addEndpoint(url: string) {
  await page.goto(`${world.address}/dashboard/webhooks`)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('URL').fill(url)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.locator('.endpoint', { hasText: url }).waitFor(LONG)
}
const endpoint = () => page.locator('.endpoint')

test('an endpoint is edited, disabled, enabled and deleted', async () => {
  await addEndpoint('https://example.com/hook')
  await endpoint().getByText('Every event').waitFor(LONG)
  await endpoint().getByRole('button', { name: 'Edit' }).click()
  await endpoint().getByLabel('URL').fill('https://example.com/other')
  await endpoint().getByLabel('bot.completed').check()
  const gathered = endpoint().getByLabel('Seconds in which live events are gathered')
  expect(await gathered.count()).toBe(0)
  await endpoint().getByLabel('bot.transcript').check()
  await gathered.waitFor(LONG)
  await endpoint().getByLabel('bot.transcript').uncheck()
  await endpoint().getByRole('button', { name: 'Save' }).click()
  await page.locator('.endpoint', { hasText: 'https://example.com/other' }).getByText('bot.completed').waitFor(LONG)
  await endpoint().getByRole('button', { name: 'Disable' }).click()
  await agree(page, 'Disable')
  await endpoint().getByText('Disabled', { exact: true }).waitFor(LONG)
  await endpoint().getByRole('button', { name: 'Enable' }).click()
  await endpoint().getByText('Active', { exact: true }).waitFor(LONG)
  await endpoint().getByRole('button', { name: 'Delete' }).click()
  await agree(page, 'Delete')
  await page.getByText('There are no endpoints.').waitFor(LONG)
  expect(problems).toEqual([])
})

test('a delivery opens to its payload and the answers of its receiver, and filters find it', async () => {
  await addEndpoint('https://example.com/hook')
  await endpoint().getByRole('button', { name: 'Send a test webhook' }).click()
  const delivery = page.locator('.deliveries li')
  await page.getByText('Test webhook sent').waitFor(LONG)
  await page.reload()
  await delivery.waitFor(LONG)
  const { id } = await world.one('deliveries', { team_id: team.teamId }, ['id'])
  await world.change('deliveries', { id }, { state: 'failed', attempts: 2 })
  const attempt = { delivery_id: id, duration_ms: 12, error: null, is_replay: false }
  await world.insert(
    'delivery_attempts',
    { ...attempt, status: null, error: 'connect ECONNREFUSED', answer: null },
    { ...attempt, status: 500, answer: `the database is full ${HOSTILE}` },
  )
  await page.locator('select[name=state]').selectOption({ label: 'Delivered' })
  await page.getByText('There are no deliveries yet.').waitFor(LONG)
  await page.locator('select[name=state]').selectOption({ label: 'Failed' })
  await delivery.getByText('HTTP 500, 2 attempts').click()
  await delivery.getByText('connect ECONNREFUSED').waitFor(LONG)
  await delivery.getByText(`the database is full ${HOSTILE}`).waitFor(LONG)
  expect(JSON.parse((await delivery.locator('.json pre').textContent())!)).toHaveProperty('event')
  expect(new URL(page.url()).search).toBe('?state=failed')
  await delivery.getByRole('button', { name: 'Resend' }).click()
  await page.getByText('Resending 1 delivery.').waitFor(LONG)
  expect(await page.title()).not.toBe('owned')
  expect(problems).toEqual([])
})
