import { expect, test } from 'vitest'
import { mustBeCommercial, nameWithin } from '../../../../platforms/zoom/meeting-sdk/join-flow.ts'

test('a name is cut to the bytes that Zoom takes, never within a character', () => {
  expect(nameWithin('  Notes for Ann ', 128)).toBe('Notes for Ann')
  expect(nameWithin('ééé', 5)).toBe('éé')
  // The family emoji is one visible character of 25 bytes.
  expect(nameWithin('A👨‍👩‍👧‍👦', 20)).toBe('A')
})

test("the government's Zoom is another one", () => {
  expect(() => mustBeCommercial({ url: 'https://www.zoomgov.com/wc/1600000000/join' })).toThrow(
    expect.objectContaining({ code: 'UNABLE_JOIN_EXTERNAL_MEETING' }),
  )
  expect(() => mustBeCommercial({ url: 'https://app.zoom.us/wc/88240852079/join' })).not.toThrow()
})
