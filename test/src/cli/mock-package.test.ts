import { expect, test } from 'vitest'
import { loadMock, MockIsMissing } from '../../../src/cli/mock-package.ts'

test('a checkout has the mock meetings', async () => {
  expect((await loadMock()).MOCK_PLATFORMS).toContain('meet')
})

test('an installation without them says how to get them', async () => {
  const missing = Object.assign(new Error("Cannot find module '/app/dist/mock/index.js'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  const failed = loadMock(() => Promise.reject(missing))
  await expect(failed).rejects.toThrow(MockIsMissing)
  await expect(failed).rejects.toThrow('in a checkout of Standin (npm start -- demo)')
})

test('a defect of theirs stays what it is', async () => {
  const defect = new SyntaxError('Unexpected token')
  await expect(loadMock(() => Promise.reject(defect))).rejects.toBe(defect)
})
