import { expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { MeetingTarget } from '../../../packages/core/meeting/meeting.ts'
import { DeviceToggles } from '../../../platforms/shared/join/device-toggles.ts'
import { REAL_WAITS } from '../../../platforms/shared/waits.ts'
import { nameForZoom } from '../../../platforms/zoom/bot-name.ts'
import { ZOOM_PACES } from '../../../platforms/zoom/paces.ts'
import type { PageSnapshot } from '../../../platforms/zoom/page/types.ts'
import { JoinFlow } from '../../../platforms/zoom/web-client/join-flow.ts'
import type { ZoomPage } from '../../../platforms/zoom/web-client/page.ts'

test('a name is cut to the 128 bytes that Zoom accepts, and not within a visible character that fits', () => {
  expect(nameForZoom('  Notes for Ann ')).toBe('Notes for Ann')
  expect(nameForZoom('é'.repeat(65))).toBe('é'.repeat(64))
  // The family emoji is one visible character of 25 bytes.
  expect(nameForZoom(`${'x'.repeat(110)}👨‍👩‍👧‍👦`)).toBe('x'.repeat(110))
  expect(nameForZoom(`e${'\u0301'.repeat(100)}`)).toBe(`e${'\u0301'.repeat(63)}`)
})

test("a way from a company's host to the common one that fails is tried again, and one that leads back there is not", async () => {
  const gone: string[] = []
  const answers = [new Error('Timeout 30000ms exceeded.'), new Error('interrupted by another navigation'), null]
  const goto = async (url: string) => {
    gone.push(url)
    const error = answers[gone.length - 1]
    if (error) throw error
  }
  const page = { browser: { page: { goto } }, waits: REAL_WAITS, logger: silentLogger } as unknown as ZoomPage
  const target: MeetingTarget = { platform: 'zoom', url: 'https://acme.zoom.us/wc/1/join?pwd=x', meetingId: '1' }
  const devices = new DeviceToggles(page, { microphone: 'off', camera: 'off' })
  const flow = new JoinFlow(page, target, 'Notes', devices, ZOOM_PACES)
  const ask = () => flow.ask({} as PageSnapshot, { kind: 'other_account', text: 'Join External Meeting', proofs: [] })
  for (const _ of answers) await ask()
  expect(gone).toEqual(answers.map(() => 'https://app.zoom.us/wc/1/join?pwd=x'))
  await expect(ask()).rejects.toMatchObject({ code: 'CANNOT_JOIN_MEETING', canRetry: false })
})
