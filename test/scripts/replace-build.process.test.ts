/** Commands that run while `dist` is replaced. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replaceBuild } from '../../scripts/replace-build.ts'

let root: string
let number = 0

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'standin-builds-'))
  await mkdir(join(root, 'node_modules/.bin'), { recursive: true })
  await symlink(process.execPath, join(root, 'node_modules/.bin/node'))
  await cp('bin', join(root, 'bin'), { recursive: true })
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  await build()
})

afterEach(() => rm(root, { recursive: true }))

/** A program that imports a module late, whose name no other build has. */
const build = (works = true) => {
  number += 1
  const own = number
  return replaceBuild(root, 'all', async (dist) => {
    await mkdir(join(dist, 'src/cli'), { recursive: true })
    await writeFile(join(dist, `src/cli/part-${own}.js`), `export default ${own}`)
    await writeFile(
      join(dist, 'src/cli/index.js'),
      `if (process.argv[2] === 'wait') { console.log('started'); await new Promise((end) => process.stdin.once('data', end)) }
      const late = await import('./part-${own}.js')
      console.log(late.default === ${own} ? 'whole' : 'mixed')
      process.exit()`,
    )
    if (!works) throw new Error('TS2322')
  })
}

const command = () => promisify(execFile)(join(root, 'bin/standin'), ['doctor']).then(({ stdout }) => stdout)

test('no command fails or meets two builds while builds, some of which fail, follow each other', async () => {
  for (let round = 0; round < 6; round += 1) {
    const builds = [build(), build(round % 2 === 0).catch(() => null), build()]
    const [first, second] = await Promise.all([command(), command(), ...builds])
    expect([first, second]).toEqual(['whole\n', 'whole\n'])
  }
})

test('a program that runs for hours finds the files of its build, however often it is replaced', async () => {
  const running = spawn(join(root, 'bin/standin'), ['wait'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [started] = await once(running.stdout, 'data')
  expect(String(started)).toBe('started\n')
  const [folder] = await readdir(join(root, '.cache/builds'))
  for (let round = 0; round < 2; round += 1) {
    await build()
    await utimes(join(root, '.cache/builds', folder!), 0, 0)
  }
  running.stdin.write('on')
  const [[text]] = await Promise.all([once(running.stdout, 'data'), once(running, 'exit')])
  expect(String(text)).toBe('whole\n')
  await build()
  expect(await readdir(join(root, '.cache/builds'))).not.toContain(folder)
})
