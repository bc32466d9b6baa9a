import { Closing } from '@standin/control-plane/main/wiring/closing.ts'
import { expect, test } from 'vitest'

function recorder() {
  const warnings: string[] = []
  const log = {
    info: () => {},
    error: () => {},
    warn: (fields: object) => void warnings.push((fields as { step: string }).step),
  }
  return { log, warnings }
}

test('work ends first, all of it at once; then its dependencies, the last one first', async () => {
  const { log, warnings } = recorder()
  const closing = new Closing(log)
  const order: string[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  closing.add('database', async () => order.push('database'))
  closing.addWork('api', async () => {
    await released
    order.push('api')
  })
  closing.add('files', async () => order.push('files'))
  closing.addWork('links', async () => {
    order.push('links')
    release()
  })
  await Promise.all([closing.run(), closing.run()])
  expect(order).toEqual(['links', 'api', 'files', 'database'])
  expect(warnings).toEqual([])
})

test('a step that fails or hangs keeps no other from running', async () => {
  const { log, warnings } = recorder()
  const closing = new Closing(log, 50)
  let isClosed = false
  closing.add('database', async () => {
    isClosed = true
  })
  closing.add('broken', () => Promise.reject(new Error('no')))
  closing.addWork('hanging', () => new Promise(() => {}))
  await closing.run()
  expect(isClosed).toBe(true)
  expect(warnings).toEqual(['hanging', 'broken'])
})
