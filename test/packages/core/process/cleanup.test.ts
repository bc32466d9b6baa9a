import { expect, test } from 'vitest'
import { createCleanup } from '../../../../packages/core/process/cleanup.ts'

test('undoes last what was set up first', async () => {
  const done: string[] = []
  const cleanup = createCleanup()
  cleanup.add('folder', () => done.push('folder'))
  cleanup.add('server', async () => done.push('server'))
  cleanup.add('browser', () => done.push('browser'))
  expect(await cleanup.run()).toEqual([])
  expect(done).toEqual(['browser', 'server', 'folder'])
})

test('continues after steps that throw, reject or never end, and names each of them', async () => {
  const done: string[] = []
  const heard: string[] = []
  const cleanup = createCleanup(({ step }) => heard.push(step))
  cleanup.add('first', () => done.push('first'))
  cleanup.add('hangs', () => new Promise(() => {}), 20)
  cleanup.add('rejects', async () => Promise.reject(new Error('refused')))
  cleanup.add('throws', () => {
    throw new Error('broken')
  })
  const failures = await cleanup.run()
  expect(done).toEqual(['first'])
  expect(failures.map(({ step, error }) => `${step}: ${error.message}`)).toEqual([
    'throws: broken',
    'rejects: refused',
    'hangs: not done within 20 ms',
  ])
  expect(heard).toEqual(['throws', 'rejects', 'hangs'])
})

test('runs each step once, however often it is asked', async () => {
  let count = 0
  const cleanup = createCleanup()
  cleanup.add('step', () => count++)
  await Promise.all([cleanup.run(), cleanup.run()])
  await cleanup.run()
  expect(count).toBe(1)
})

test('a step that is added during the run is undone before it is over, one that is added later by the next', async () => {
  const done: string[] = []
  const cleanup = createCleanup()
  cleanup.add('outer', () => {
    done.push('outer')
    cleanup.add('inner', () => done.push('inner'))
  })
  await cleanup.run()
  expect(done).toEqual(['outer', 'inner'])
  cleanup.add('late', () => done.push('late'))
  await cleanup.run()
  expect(done).toEqual(['outer', 'inner', 'late'])
})
