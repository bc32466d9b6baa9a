import { expect, test } from 'vitest'
import { silentLogger } from '../../../../packages/core/logger.ts'
import { Advance } from '../../../../platforms/shared/join/advance.ts'

function advance({ hasPicture = true, canPaint = async () => true } = {}) {
  const done: string[] = []
  const frames = {
    isAsAhead: true,
    prepareAhead: async () => {
      done.push('lead')
      return canPaint()
    },
  }
  const paint = hasPicture ? async () => void done.push('paint') : null
  const made = new Advance({ frames, paint, logger: silentLogger })
  made.onReady(() => done.push('ready'))
  return { made, frames, done }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('when a page comes that can lead into the meeting, its picture is painted and the recorder is notified; another document paints too', async () => {
  const { made, done } = advance()
  made.observe('unclear', null, true)
  made.observe('obstacle', null, false)
  await settled()
  expect(done).toEqual([])
  made.observe('entrance', null, false)
  made.observe('waiting', null, false)
  await settled()
  expect(done).toEqual(['lead', 'paint', 'ready'])
  made.observe('waiting', null, true)
  await settled()
  expect(done).toEqual(['lead', 'paint', 'ready', 'lead', 'paint'])
})

test('for sound alone nothing is painted', async () => {
  const { made, done } = advance({ hasPicture: false })
  made.observe('waiting', null, true)
  await settled()
  expect(done).toEqual(['ready'])
})

test.each([
  ['can paint on the display only', async () => false],
  ['breaks', () => Promise.reject(new Error('gone'))],
])('a page that %s does not prepare the recorder before admission', async (_, canPaint) => {
  const { made, done } = advance({ canPaint })
  made.observe('waiting', null, true)
  await settled()
  expect(done).toEqual(['lead'])
})

test('the proof is that of the judge before admission, and holds after it', () => {
  const { made } = advance()
  made.observe('in_call', 1000, true)
  made.observe('waiting', null, false)
  expect(made.provenAt).toBeNull()
  made.observe('in_call', 5000, false)
  made.observeInMeeting('in_call', 8000)
  made.observeInMeeting('disturbed', 9000)
  made.settle()
  expect(made.provenAt).toBe(5000)
})

test('a waiting room after admission takes the proof back, until the meeting is seen again', () => {
  const { made } = advance()
  made.observe('in_call', 5000, true)
  made.observeInMeeting('waiting', 8000)
  expect(made.provenAt).toBeNull()
  made.observeInMeeting('disturbed', 9000)
  expect(made.provenAt).toBeNull()
  made.observeInMeeting('in_call', 10_000)
  expect(made.provenAt).toBe(10_000)
})

test('nothing counts from before the right to record', () => {
  const { made } = advance()
  made.observe('in_call', 5000, true)
  made.notBefore(30_000)
  made.observeInMeeting('in_call', 31_000)
  expect(made.provenAt).toBe(30_000)
})

test('what was seen in advance of another picture than the one that is recorded counts for nothing', () => {
  const { made, frames } = advance()
  made.observe('in_call', 5000, true)
  frames.isAsAhead = false
  made.settle()
  expect(made.provenAt).toBeNull()
})
