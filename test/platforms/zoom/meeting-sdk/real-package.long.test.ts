/**
 * The real npm package, as far as it runs without Zoom: its script and its media files load from the bot's own server,
 * `init` succeeds in an isolated page, and `join` asks Zoom's web API, which is played here. The gateway, media and the
 * meeting itself are beyond what can be had without Zoom.
 */

import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { silentLogger } from '../../../../packages/core/logger.ts'
import type { MeetingDriver } from '../../../../packages/core/ports.ts'
import { makeCertificate } from '../../../../packages/mock/shared/certificate.ts'
import { OTHER_NAMES, PLAYED_NAMES } from '../../../../packages/mock/zoom/sdk/page/names.ts'
import { openBrowser } from '../../../../platforms/browser/browser.ts'
import { openZoomSdk } from '../../../../platforms/zoom/meeting-sdk/driver.ts'
import { serveSdkPage } from '../../../../platforms/zoom/meeting-sdk/page-server.ts'
import { guestOptions } from '../../driver-options.ts'
import { SILENT_STAGE } from '../harness.ts'
import { CONF } from './conf.ts'
import { failureOf } from './sdk-harness.ts'

const TARGET = { platform: 'zoom', url: 'https://zoom.us/j/88240852079?pwd=abc123', meetingId: '88240852079' } as const
/** These come with the code of the meeting itself, which is loaded when Zoom admits a participant. */
const LATER = /^(?:focusMode|isBotUser|get(?:Authorized|Bot|Breakout|CurrentBreakout|FocusMode|Unassigned|UserStatus))/

let api: Server
let answer: object = {}
let asked: { path: string; body: string }[] = []
const open: MeetingDriver[] = []

beforeAll(async () => {
  const { key, cert } = await makeCertificate(['zoom.us'])
  api = createServer({ key, cert }, (request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => {
      asked.push({ path: request.url ?? '', body })
      response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
      response.end(JSON.stringify({ status: false, result: null, ...answer }))
    })
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  for (const driver of open.splice(0)) await driver.close()
  asked = []
})

afterAll(async () => {
  api.closeAllConnections()
  await new Promise((resolve) => api.close(resolve))
})

async function join(network: { hostMap: { host: string; address: string }[]; extraArguments?: string[] }) {
  const stop = new AbortController()
  const driver = await openZoomSdk(TARGET, SILENT_STAGE, stop.signal, {
    ...guestOptions({ hosts: [], address: '' }),
    recordingMode: 'speaker_view',
    conf: CONF,
    ...network,
  })
  open.push(driver)
  return { driver, joined: driver.join(stop.signal) }
}

const played = () => ({ hostMap: [{ host: 'zoom.us', address: `127.0.0.1:${(api.address() as AddressInfo).port}` }] })
const NOBODY = { hostMap: [], extraArguments: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] }

describe('the package', () => {
  test('loads in an isolated page and has every name that the stub has', async () => {
    const page = await serveSdkPage(null)
    const browser = await openBrowser(SILENT_STAGE, { logger: silentLogger }, new AbortController().signal)
    try {
      await browser.page.goto(page.url)
      const found = await browser.page.evaluate(
        (names) => {
          const { ZoomMtg: sdk } = globalThis as unknown as { ZoomMtg: Record<string, unknown> }
          return {
            isIsolated: globalThis.crossOriginIsolated,
            missing: names.filter((name) => typeof sdk[name] !== 'function'),
            words: Object.keys(sdk.i18n as object),
          }
        },
        [...OTHER_NAMES, ...PLAYED_NAMES],
      )
      expect(found.isIsolated).toBe(true)
      expect(found.missing.filter((name) => !LATER.test(name))).toEqual([])
      // Typed, but not there in 6.2.0: onLoad and getAll.
      expect(found.words).toEqual(expect.arrayContaining(['load', 'reload', 'get', 'getCurrentLang']))
    } finally {
      await browser.close()
      await page.close()
    }
  })

  test('starts, sends the signature to Zoom, and its answer becomes the code of the specification', async () => {
    answer = { errorCode: 200, errorMessage: 'Invalid signature.' }
    const { driver, joined } = await join(played())
    expect(await failureOf(joined)).toMatchObject({ code: 'SDK_AUTH_FAILED', message: expect.stringContaining('3712') })
    const [request] = asked
    expect(request!.path).toBe('/api/v1/wc/info')
    const sent = new URLSearchParams(request!.body)
    expect(Object.fromEntries(sent)).toMatchObject({ meetingNumber: TARGET.meetingId, passWord: 'abc123' })
    const evidence = await driver.evidence()
    const everything = JSON.stringify([evidence.html, evidence.console, evidence.signs, evidence.url])
    for (const secret of [sent.get('signature')!, 'abc123', CONF.sdkSecret]) expect(everything).not.toContain(secret)
  })

  test('shows a box for another passcode and makes no callback; the driver reads the box', async () => {
    answer = { errorCode: 3004, errorMessage: 'Meeting Passcode wrong.' }
    const { joined } = await join(played())
    expect(await failureOf(joined)).toMatchObject({
      code: 'CANNOT_JOIN_MEETING',
      message: expect.stringContaining('passcode'),
    })
  })

  test('without Zoom reports that it failed, without a reason: worth another attempt', async () => {
    const { joined } = await join(NOBODY)
    expect(await failureOf(joined)).toMatchObject({ code: 'CANNOT_JOIN_MEETING', canRetry: true })
  })
})
