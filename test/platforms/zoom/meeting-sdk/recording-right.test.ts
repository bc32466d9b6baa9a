/**
 * The table of docs/platform-notes/zoom.md#recording-permission-outcomes and the rhythm of
 * docs/platform-notes/zoom.md#recording-permission, with a clock that is moved by hand.
 */
import { describe, expect, test } from 'vitest'
import type { CaptureFacts, SdkAnswer } from '../../../../platforms/zoom/meeting-sdk/page/types.ts'
import {
  mustStillBeAllowed,
  obtainRight,
  type RecordingPermission,
  RIGHT_WAITS,
} from '../../../../platforms/zoom/meeting-sdk/recording-right.ts'
import { HandClock } from '../../../fakes/clock.ts'

const LIMIT_MS = 600_000
const OK: SdkAnswer = { ok: true }
const no = (text: string): SdkAnswer => ({ ok: false, code: 1, text })
const MUST_ASK = no('no local record permission')
const NO_HOST = no("TypeError: Cannot read properties of undefined (reading 'caps')")

/** A meeting in which things happen at their time; `at` in seconds. */
function meeting(plan: { start?: SdkAnswer; request?: SdkAnswer; hasHost?: boolean } = {}) {
  const clock = new HandClock()
  const capture: CaptureFacts = { status: null, allowed: null, answers: 0 }
  const state = { start: MUST_ASK, request: OK, hasHost: true, asked: 0, ...plan }
  const permission: RecordingPermission = {
    clock,
    waits: RIGHT_WAITS,
    facts: async () => ({ capture: { ...capture }, hasHost: state.hasHost }),
    startCapture: async () => state.start,
    request: async () => {
      state.asked++
      return state.request
    },
  }
  const stop = new AbortController()
  return {
    state,
    stop,
    clock,
    answer(allowed: boolean) {
      capture.allowed = allowed
      capture.answers++
      if (allowed) {
        state.start = OK
        capture.status = 1
      }
    },
    begins() {
      capture.status = 1
    },
    obtained: obtainRight(permission, LIMIT_MS, stop.signal),
  }
}

describe('the right to record', () => {
  test('is there already', async () => {
    const room = meeting({ start: OK })
    room.begins()
    await expect(room.obtained).resolves.toBeUndefined()
    expect(room.state.asked).toBe(0)
  })

  test('is asked for and granted', async () => {
    const room = meeting()
    await room.clock.advance(8000)
    expect(room.state.asked).toBe(1)
    room.answer(true)
    await room.clock.advance(1000)
    await expect(room.obtained).resolves.toBeUndefined()
  })

  test.each([
    ['not enable local record', 'CANNOT_REQUEST_RECORDING_RIGHT'],
    ['Hosts can not give participants permission', 'CANNOT_REQUEST_RECORDING_RIGHT'],
    ['disable send request for local recording permission', 'CANNOT_REQUEST_RECORDING_RIGHT'],
    ['webinar attendee not support', 'CANNOT_REQUEST_RECORDING_RIGHT'],
    ['local record is not allowed in bo', 'CANNOT_REQUEST_RECORDING_RIGHT'],
    ['not support grant local record permissin', 'HOST_CLIENT_CANNOT_GRANT_PERMISSION'],
    ['host deny all request', 'RECORDING_RIGHTS_NOT_GRANTED'],
  ])('"%s" is %s', async (text, code) => {
    await expect(meeting({ request: no(text) }).obtained).rejects.toMatchObject({ code, canRetry: false })
  })

  test('"not enable local record" is already reported by the start', async () => {
    const room = meeting({ start: no('not enable local record') })
    await expect(room.obtained).rejects.toMatchObject({ code: 'CANNOT_REQUEST_RECORDING_RIGHT' })
    expect(room.state.asked).toBe(0)
  })

  test('denied by the host ends the wait at once', async () => {
    const room = meeting()
    const failed = expect(room.obtained).rejects.toMatchObject({ code: 'RECORDING_RIGHTS_NOT_GRANTED' })
    await room.clock.advance(3000)
    room.answer(false)
    await room.clock.advance(1000)
    await failed
  })

  test('a request that lapses is made again, until the limit', async () => {
    const room = meeting()
    const failed = expect(room.obtained).rejects.toMatchObject({ code: 'RECORDING_RIGHTS_NOT_GRANTED' })
    await room.clock.advance(150_000)
    expect(room.state.asked).toBe(3)
    await room.clock.advance(LIMIT_MS)
    await failed
  })

  test('without a host the bot sends no request; it sends one when the host comes', async () => {
    const room = meeting({ request: NO_HOST, hasHost: false })
    await room.clock.advance(30_000)
    const before = room.state.asked
    room.state.hasHost = true
    room.state.request = OK
    await room.clock.advance(1000)
    expect(room.state.asked).toBe(before + 1)
    room.answer(true)
    await room.clock.advance(1000)
    await expect(room.obtained).resolves.toBeUndefined()
  })

  test('no host until the limit is a wait for the host that took too long', async () => {
    const room = meeting({ request: NO_HOST, hasHost: false })
    const failed = expect(room.obtained).rejects.toMatchObject({ code: 'WAITING_FOR_HOST_TIMEOUT' })
    await room.clock.advance(LIMIT_MS + 10_000)
    await failed
  })

  test('granted, but the capture never begins', async () => {
    const room = meeting({ start: OK })
    const failed = expect(room.obtained).rejects.toMatchObject({ code: 'RECORDING_START_TIMEOUT' })
    await room.clock.advance(RIGHT_WAITS.captureStartMs + 1000)
    await failed
  })

  test('a stop ends the wait for an answer', async () => {
    const room = meeting()
    const failed = expect(room.obtained).rejects.toThrow('asked to leave')
    await room.clock.advance(2000)
    room.stop.abort(new Error('asked to leave'))
    await room.clock.advance(1000)
    await failed
  })

  test('taken back ends the recording', () => {
    const capture: CaptureFacts = { status: 1, allowed: true, answers: 1 }
    expect(() => mustStillBeAllowed({ capture })).not.toThrow()
    expect(() => mustStillBeAllowed({ capture: { ...capture, allowed: false } })).toThrow(
      expect.objectContaining({ code: 'RECORDING_RIGHTS_NOT_GRANTED' }),
    )
  })
})
