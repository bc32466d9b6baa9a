/** As root, with the user `nobody`, whom every machine has. */
import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chooseBotUser, letPass } from '@standin/wire/process/bot-user.ts'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'

const LEAVE = fileURLToPath(new URL('leave-root-child.ts', import.meta.url))
const folder = temporaryFolder()
const passwd = (name: string) => spawnSync('getent', ['passwd', name], { encoding: 'utf8' }).stdout.split(':')
const [, , uid, gid] = passwd('nobody').map(Number) as [number, number, number, number]
const nobody = { name: 'nobody', uid, gid }
const isOpen = spawnSync('test', ['-r', LEAVE], { uid: 65_534, gid: 65_534 }).status === 0
const nothing = async () => {}
await chmod(folder, 0o711)

describe.runIf(process.geteuid?.() === 0 && isOpen)('as root', () => {
  test('bots run as the named user, and as root only with a reason and a cure', async () => {
    expect(await chooseBotUser({ STANDIN_BOT_USER: 'nobody' }, [], nothing)).toEqual({ user: nobody, weakness: null })
    const kept = await chooseBotUser({ STANDIN_ALLOW_ROOT: '1' }, [], nothing)
    expect(kept).toMatchObject({ user: null, weakness: { fault: expect.stringContaining('STANDIN_ALLOW_ROOT=1') } })
  })

  test.each(['no-such-user', 'root', '$(id)'])('the name %s is refused', async (name) => {
    await expect(chooseBotUser({ STANDIN_BOT_USER: name }, [], nothing)).rejects.toThrow(
      /^STANDIN_BOT_USER: .*\. \w.*\.$/,
    )
  })

  test('the closed folder on the way is named; our own is opened to the user alone', async () => {
    const [closed, inner] = [join(folder, 'closed'), join(folder, 'closed/recordings')]
    await mkdir(inner, { recursive: true })
    for (const place of [closed, inner]) await chmod(place, 0o700)
    const chosen = (prepare: () => Promise<void>) => chooseBotUser({ STANDIN_BOT_USER: 'nobody' }, [inner], prepare)
    await expect(chosen(() => letPass(nobody, inner))).rejects.toThrow(`may not enter or read ${closed}. `)
    expect((await chosen(() => letPass(nobody, closed))).user).toEqual(nobody)
    expect(await stat(closed)).toMatchObject({ mode: 0o40710, gid })
    // Of a group that its owner chose.
    await chown(inner, 0, 4)
    await chmod(inner, 0o750)
    await expect(chosen(() => letPass(nobody, inner))).rejects.toThrow(inner)
  })

  test('a process that leaves root gets its folder, and no way back', async () => {
    const recordings = join(folder, 'a', 'recordings')
    const bot = join(recordings, 'bot')
    await mkdir(bot, { recursive: true })
    await writeFile(join(bot, 'earlier'), '')
    const child = spawnSync(process.execPath, [LEAVE, bot], { encoding: 'utf8', env: { STANDIN_BOT_USER: 'nobody' } })
    expect(child.stderr).not.toContain('root')
    expect(JSON.parse(child.stdout)).toEqual({
      ids: [uid, uid, gid, gid],
      groups: [gid],
      back: 'EPERM',
      read: 'EACCES',
    })
    for (const name of ['.', 'earlier', 'written']) expect((await stat(join(bot, name))).uid).toBe(uid)
    expect(await stat(recordings)).toMatchObject({ uid: 0 })
  })
})
