/** The page with which a person plays host. That a bot sees what it does is shown by the drivers' tests. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '../../../../packages/core/logger.ts'
import { type MockServers, startMocks } from '../../../../packages/mock/index.ts'
import { SILENT_STAGE } from '../../../platforms/conformance/ground.ts'
import { sharedChromium } from '../../../platforms/shared-chromium.ts'

let mocks: MockServers
beforeAll(async () => {
  mocks = await startMocks()
})
afterAll(() => mocks.close())

test('starts a meeting, moves its people, and says why an action fails', async () => {
  const options = { mappedHosts: [], mediaOrigins: [], logger: silentLogger }
  const browser = await sharedChromium.open(SILENT_STAGE, options, new AbortController().signal)
  const host = browser.page
  await host.goto(mocks.hostPage)
  const [server] = mocks.servers
  await host.getByLabel('Scenario').selectOption('waiting-room')
  await host.getByText('A join request that waits until the host decides.').waitFor()
  await host.getByRole('button', { name: 'Start meeting' }).click()
  const command = (await host.locator('.command code').first().textContent()) ?? ''
  expect(command).toContain(`--map-host meet.google.com=${server!.address}`)
  const code = /https:\/\/meet\.google\.com\/(\S+)/.exec(command)![1]!
  const meeting = server!.meetings.get(code)!
  expect(await host.getByRole('button', { name: 'Admit' }).isDisabled()).toBe(true)

  await host.getByLabel('Name of a new person').fill('Eve Ek')
  await host.getByRole('button', { name: 'Add person' }).click()
  await host.getByRole('listitem').filter({ hasText: 'Eve Ek' }).getByRole('button', { name: 'Speak' }).click()
  await expect.poll(() => meeting.truth.turns.map(({ name }) => name)).toEqual(['Eve Ek'])
  await host.getByRole('textbox', { name: 'Message' }).fill('Hello <b>bot</b>')
  await host.getByRole('button', { name: 'Say' }).click()
  await host.getByRole('list', { name: 'Chat' }).getByText('Hello <b>bot</b>').waitFor()
  await host.getByRole('article', { name: code }).getByRole('button', { name: 'Show to the bot' }).click()
  await expect.poll(() => host.locator('.notice').textContent()).toContain('no page of')
  await browser.close()
})
