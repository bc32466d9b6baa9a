import { expect, test } from 'vitest'
import { mustBeCommercial } from '../../../../platforms/zoom/meeting-sdk/join-flow.ts'

test("the government's Zoom is another one", () => {
  expect(() => mustBeCommercial({ url: 'https://www.zoomgov.com/wc/1600000000/join' })).toThrow(
    expect.objectContaining({ code: 'UNABLE_JOIN_EXTERNAL_MEETING' }),
  )
  expect(() => mustBeCommercial({ url: 'https://app.zoom.us/wc/88240852079/join' })).not.toThrow()
})
