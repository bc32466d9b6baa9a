import { mkdir, mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launchOptions } from '../../../src/browser/browser.ts'
import { makeBrowserHome } from '../../../src/browser/home.ts'

const STAGE = { display: null, pulseServer: '/nowhere', pulseSink: 'meeting', width: 1280, height: 720 }
/** Above the largest process id of Linux. */
const DEAD = 4_194_305

test('what Playwright writes for a browser lies in the home of the browser', async () => {
  const home = await mkdtemp(join(tmpdir(), 'standin-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const { artifactsDir } = await launchOptions(STAGE, {}, home, new AbortController().signal)
  expect(artifactsDir).toBe(join(home, 'artifacts'))
  expect(await readdir(home)).toEqual(['artifacts'])
})

test('the home of a killed bot is removed by the next one, and that of a running bot stays', async () => {
  const killed = await mkdtemp(join(tmpdir(), 'standin-browser-'))
  await mkdir(join(killed, 'artifacts'))
  const namespace = await readlink('/proc/self/ns/pid')
  await writeFile(join(killed, 'owner.json'), JSON.stringify({ processId: DEAD, namespace }))
  const homes = [await makeBrowserHome(), await makeBrowserHome()]
  onTestFinished(async () => {
    for (const home of homes) await rm(home, { recursive: true, force: true })
  })
  await expect(stat(killed)).rejects.toMatchObject({ code: 'ENOENT' })
  for (const home of homes) expect((await stat(home)).isDirectory()).toBe(true)
})
