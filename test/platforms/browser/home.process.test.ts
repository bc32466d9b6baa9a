import { execFileSync } from 'node:child_process'
import { chown, lstat, mkdir, mkdtemp, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeBrowserHome } from '../../../platforms/browser/home.ts'

/** Above the largest process id of Linux. */
const DEAD = 4_194_305
const isRoot = process.geteuid?.() === 0

test('the home of a killed bot is removed by the next one, and that of a running bot stays', async () => {
  const killed = await mkdtemp(join(tmpdir(), 'standin-browser-'))
  await mkdir(join(killed, 'artifacts'))
  await deadOwner(join(killed, 'owner.json'))
  const homes = [await makeBrowserHome(), await makeBrowserHome()]
  onTestFinished(async () => {
    for (const home of homes) await rm(home, { recursive: true, force: true })
  })
  await expect(stat(killed)).rejects.toMatchObject({ code: 'ENOENT' })
  for (const home of homes) expect((await stat(home)).isDirectory()).toBe(true)
})

test.each<readonly [string, (path: string) => unknown]>([
  ['a FIFO', (path) => execFileSync('mkfifo', [path])],
  ['a link to an endless device', (path) => symlink('/dev/zero', path)],
  ...(isRoot ? [['a dead bot of another user', ofOther] as const] : []),
])('a foreign entry with the name of a home stays and stops no bot: %s', async (_, plant) => {
  const foreign = await mkdtemp(join(tmpdir(), 'standin-browser-'))
  onTestFinished(() => rm(foreign, { recursive: true, force: true }))
  const owner = join(foreign, 'owner.json')
  await plant(owner)
  const home = await makeBrowserHome()
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  expect((await lstat(owner)).isDirectory()).toBe(false)
})

async function ofOther(file: string): Promise<void> {
  await deadOwner(file)
  await chown(join(file, '..'), 65_534, 65_534)
}

async function deadOwner(file: string): Promise<void> {
  const namespace = await readlink('/proc/self/ns/pid')
  await writeFile(file, JSON.stringify({ processId: DEAD, namespace }))
}
