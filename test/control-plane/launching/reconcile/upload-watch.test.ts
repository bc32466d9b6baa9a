import { UploadWatch } from '@standin/control-plane/launching/reconcile/upload-watch.ts'
import { expect, test } from 'vitest'

/** An upload whose size and clock are set by hand. */
function upload() {
  const world = { seconds: 0, bytes: 100, looks: 0 }
  const files = {
    async bytesOf(prefix: string) {
      expect(prefix).toBe('bot/2')
      world.looks++
      return world.bytes
    },
  }
  const watch = new UploadWatch(files, () => world.seconds * 1000)
  return { world, watch, still: () => watch.secondsWithoutGrowth('bot', 2) }
}

test('counts from the first look, and again from each growth', async () => {
  const { world, still } = upload()
  world.seconds = 500
  expect(await still()).toBe(0)
  world.seconds = 560
  expect(await still()).toBe(60)
  world.seconds = 600
  world.bytes = 101
  expect(await still()).toBe(0)
  world.seconds = 721
  expect(await still()).toBe(121)
})

test('a store is asked at most every ten seconds', async () => {
  const { world, still } = upload()
  for (; world.seconds < 100; world.seconds += 2) await still()
  expect(world.looks).toBe(10)
})

test('an upload that was not asked about for long is watched from the start', async () => {
  const { world, watch, still } = upload()
  await still()
  world.seconds = 101
  watch.forgetOld()
  expect(await still()).toBe(0)
})

test('a store that does not answer says nothing about the upload', async () => {
  const away = new UploadWatch({ bytesOf: () => Promise.reject(new Error('away')) }, () => 0)
  await expect(away.secondsWithoutGrowth('bot', 1)).rejects.toThrow('away')
})
