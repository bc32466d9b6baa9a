/** Bytes of the page's WebRTC transports: counted in the page, read from outside. */
import { expect, test } from 'vitest'
import { WebRtcTraffic } from '../../../../platforms/shared/in-call/webrtc-traffic.ts'
import { countWebRtc, type PageTraffic } from '../../../../platforms/shared/page/webrtc-traffic.ts'
import { HandClock } from '../../../fakes/clock.ts'

const READ_EVERY_MS = 5_000

/** A page whose answer is set by the test; null: it cannot be asked. */
function reader() {
  const clock = new HandClock()
  const page = { answer: { received: 1000, sent: 10 } as PageTraffic | null | Promise<PageTraffic>, asked: 0 }
  const noted = { received: 0, sent: 0 }
  const ask = async () => {
    page.asked++
    if (page.answer === null) throw new Error('The page is gone')
    return page.answer
  }
  const traffic = new WebRtcTraffic({ clock, ask: ask as never }, (received, sent) => {
    noted.received += received
    noted.sent += sent
  })
  return { clock, page, noted, traffic }
}

test('the page is asked every five seconds, and only what was added counts', async () => {
  const { clock, page, noted, traffic } = reader()
  traffic.check()
  traffic.check()
  await clock.advance(READ_EVERY_MS - 1)
  traffic.check()
  expect(page.asked).toBe(1)
  page.answer = { received: 1500, sent: 30 }
  await clock.advance(1)
  traffic.check()
  await clock.advance(0)
  expect(noted).toEqual({ received: 1500, sent: 30 })
})

test('a new document counts from zero, and an answer of the one before does not count', async () => {
  const { clock, page, noted, traffic } = reader()
  traffic.check()
  await clock.advance(READ_EVERY_MS)
  const late = Promise.withResolvers<PageTraffic>()
  page.answer = late.promise
  traffic.check()
  traffic.onNewDocument()
  late.resolve({ received: 1_000_000, sent: 1_000_000 })
  await clock.advance(READ_EVERY_MS)
  page.answer = { received: 400, sent: 4 }
  traffic.check()
  await clock.advance(0)
  expect(noted).toEqual({ received: 1400, sent: 14 })
})

test('a page that counts backwards takes nothing back, and one that cannot be asked changes nothing', async () => {
  const { clock, page, noted, traffic } = reader()
  for (const answer of [{ received: 1000, sent: 10 }, { received: 200, sent: 20 }, null]) {
    page.answer = answer
    traffic.check()
    await clock.advance(READ_EVERY_MS)
  }
  expect(noted).toEqual({ received: 1000, sent: 20 })
})

test('before the bot leaves the page is asked once more, and a page that hangs does not hold it', async () => {
  const { clock, page, noted, traffic } = reader()
  traffic.check()
  await clock.advance(0)
  page.answer = { received: 1700, sent: 10 }
  await traffic.last()
  expect(noted.received).toBe(1700)
  page.answer = new Promise<PageTraffic>(() => {})
  const last = traffic.last()
  await clock.advance(1_000)
  await last
})

/** A connection whose transports carried so much; `null`: the browser does not say. */
function connection(bytes: PageTraffic | null) {
  const made = {
    bytes,
    signalingState: 'stable',
    async getStats() {
      if (made.bytes === null) throw new Error('closed')
      const { received, sent } = made.bytes
      return new Map([
        ['t', { type: 'transport', bytesReceived: received, bytesSent: sent }],
        ['i', { type: 'inbound-rtp', bytesReceived: received }],
      ])
    },
  }
  return made
}

test('the page adds up its transports; a connection that closed counts as it was read last, once', async () => {
  const [one, other] = [connection({ received: 100, sent: 1 }), connection({ received: 50, sent: 2 })]
  const open = [one, other]
  const count = countWebRtc({ connections: () => open as never })
  expect(await count()).toEqual({ received: 150, sent: 3 })
  // The browser does not say for once.
  other.bytes = null
  expect(await count()).toEqual({ received: 150, sent: 3 })
  other.bytes = { received: 60, sent: 2 }
  one.signalingState = 'closed'
  open.shift()
  expect(await count()).toEqual({ received: 160, sent: 3 })
  expect(await count()).toEqual({ received: 160, sent: 3 })
  expect(await countWebRtc(null)()).toEqual({ received: 0, sent: 0 })
})
