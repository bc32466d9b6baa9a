/** A bot whose browser reaches its meeting through a proxy alone: names of the platform lead nowhere else. */
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { urlToHttpOptions } from 'node:url'
import type { Egress } from '@standin/wire/egress.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { publicKeyHash } from '../../platforms/browser/mapped-hosts.ts'
import { type CountingProxy, LOGIN, startCountingProxy } from '../servers/counting-proxy.ts'
import { teamsHarness } from './microsoft-teams/harness.ts'
import { failureOf } from './zoom/meeting-sdk/sdk-harness.ts'

const LONG = { timeout: 20_000, interval: 100 }
const teams = teamsHarness()

async function setting(kind: 'http' | 'socks5') {
  const { hosts, address } = teams.mock()
  const proxy = await startCountingProxy(kind, (host) => (hosts.includes(host) ? address : undefined))
  onTestFinished(() => proxy.close())
  const key = await publicKeyHash({ host: hosts[0]!, address }, new AbortController().signal)
  const attempt = (given: Partial<Egress> = {}, url = proxy.url) =>
    teams.attempt('access-allow-all-bots', {
      driver: {
        egress: { proxy: url, media: 'proxy', ...given },
        // Nothing but the proxy knows where the meeting is.
        hostMap: [],
        extraArguments: [`--ignore-certificate-errors-spki-list=${key}`, '--allow-loopback-in-peer-connection'],
      },
    })
  return { proxy, attempt }
}

const wrongLogin = ({ url }: CountingProxy) => url.replace(/:\/\/[^@]+@/, '://marker-user:marker-wrong@')

describe.each(['http', 'socks5'] as const)('%s', (kind) => {
  test('every connection passes the proxy, and no command line has the login', async () => {
    const { proxy, attempt } = await setting(kind)
    const { driver, meeting, signal } = await attempt()
    expect(await driver.join(signal)).toBe('in_meeting')
    expect(meeting.state).toBe('call')
    expect(proxy.connections).toEqual(expect.arrayContaining(['teams.microsoft.com:443']))
    expect(proxy.refusals).toBe(0)
    const lines = await commandLines()
    const [, forwarder] = lines.map((line) => /--proxy-server=(http:[\d./:]+)/.exec(line)).find(Boolean)!
    expect(await statusThrough(forwarder!)).toBe(407)
    for (const line of lines) {
      expect(line).not.toContain(LOGIN.user)
      expect(line).not.toContain(encodeURIComponent(LOGIN.password))
    }
  })

  test('a wrong login is reported as such, without the login', async () => {
    const { proxy, attempt } = await setting(kind)
    const { driver, signal } = await attempt({}, wrongLogin(proxy))
    const failed = await failureOf(driver.join(signal))
    expect(failed).toMatchObject({ endCause: 'PROXY_FAILED', reason: 'operator_network' })
    expect(failed.message).toContain('the proxy refused the user name or the password')
    expect(JSON.stringify([failed.message, await driver.evidence()])).not.toContain('marker')
    expect(proxy.refusals).toBeGreaterThan(0)
    expect(proxy.connections).toEqual([])
  })

  test('if the proxy goes away during the meeting, the next try says why', async () => {
    const { proxy, attempt } = await setting(kind)
    const first = await attempt()
    expect(await first.driver.join(first.signal)).toBe('in_meeting')
    await proxy.close()
    const again = await attempt()
    const failed = await failureOf(again.driver.join(again.signal))
    expect(failed).toMatchObject({ endCause: 'PROXY_FAILED', canRetry: true })
    expect(failed.message).toContain('the proxy cannot be reached')
  })
})

test('sound and pictures never go around the proxy, unless the operator says so', async () => {
  const { attempt } = await setting('http')
  const [inside, around] = [await attempt(), await attempt({ media: 'direct' })]
  for (const { driver, signal } of [inside, around]) expect(await driver.join(signal)).toBe('in_meeting')
  await expect.poll(() => around.meeting.bot.isConnected, LONG).toBe(true)
  // It had as much time, and the mock meeting takes UDP only.
  expect(inside.meeting.bot.isConnected).toBe(false)
})

test('a bot without a proxy does not use one', async () => {
  const { proxy } = await setting('http')
  const { driver, signal } = await teams.attempt('access-allow-all-bots', {})
  expect(await driver.join(signal)).toBe('in_meeting')
  expect(proxy.connections).toEqual([])
})

/** Of another program of the machine, which has no login. */
function statusThrough(forwarder: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ ...urlToHttpOptions(new URL(forwarder)), path: 'http://teams.microsoft.com/' })
    asked.once('response', ({ statusCode }) => resolve(statusCode)).once('error', reject)
    asked.end()
  })
}

async function commandLines(): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
}
