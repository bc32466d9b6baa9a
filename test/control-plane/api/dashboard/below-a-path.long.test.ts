/** The dashboard, the documents and the API behind nginx, which serves them below a path. */
import { createStandinClient } from '@standin/client/index.ts'
import { expect, test } from 'vitest'
import { writeHelpPages } from '../../../../scripts/help-pages.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { freePort } from '../../../servers/free-port.ts'
import { startNginx } from '../../../servers/neighbours.ts'
import { openWorld } from '../../world.ts'
import { DASHBOARD_FOLDER, enter, LONG, openBrowser } from './pages.ts'

const [front, back] = [await freePort(), await freePort()]
const publicUrl = `http://127.0.0.1:${front}/standin`
const helpFolder = temporaryFolder()
await writeHelpPages(helpFolder)
const world = await openWorld({ api: { settings: { publicUrl, helpFolder, dashboardFolder: DASHBOARD_FOLDER } } })
await world.app.listen({ host: '127.0.0.1', port: back })
await startNginx(`location /standin/ { proxy_pass http://127.0.0.1:${back}/; }`, front)
const browser = await openBrowser()

test('every page and every request stays below the path', async () => {
  const { teamId, key } = await world.team()
  const { v2 } = createStandinClient({ baseUrl: publicUrl, apiKey: key })
  const { data: bot } = await v2.POST('/v2/bots', {
    body: { bot_name: 'Notes', meeting_url: 'https://meet.google.com/abc-defg-hij' },
  })
  const strays: string[] = []
  const page = await enter({
    ...{ browser, world, teamId, address: publicUrl },
    role: 'owner',
    prepare: async (one) =>
      void one.on('response', (answer) => {
        const isOurs = answer.url().startsWith(`${publicUrl}/`) || answer.url().startsWith('data:')
        // 401: the page asks who is signed in, before the person is.
        if (!isOurs || (answer.status() >= 400 && answer.status() !== 401))
          strays.push(`${answer.status()} ${answer.url()}`)
      }),
  })
  const open = async (path: string, text: string) => {
    await page.goto(publicUrl + path)
    await page.getByText(text).first().waitFor(LONG)
  }
  await open('/', 'Notes')
  await open(`/dashboard/bots/${bot!.data.bot_id}`, 'Notes')
  await open('/dashboard/keys/', 'Keys')
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  expect(page.url()).toBe(`${publicUrl}/dashboard/webhooks`)
  await open('/docs', 'Send a bot into a meeting')
  await open('/help', 'Standin')
  await open('/help/service', 'STANDIN_PUBLIC_URL')
  await page.getByRole('combobox').fill('webhook')
  await page.locator('#found a').first().click(LONG)
  expect(page.url()).toContain(`${publicUrl}/help/`)
  expect(strays).toEqual([])
})
