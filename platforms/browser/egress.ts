/**
 * The way of a browser's requests to the operator's proxy: a forwarder on this machine's loopback, which knows the proxy's user
 * name and password. Chromium takes none on its command line, which other users can read, and has none for SOCKS at all.
 * The forwarder itself asks for a login too, since every program of the machine reaches the loopback.
 */
import { randomUUID } from 'node:crypto'
import type { Egress } from '@standin/wire/egress.ts'
import { type PrepareRequestFunction, type PrepareRequestFunctionOpts, Server } from 'proxy-chain'

/** Problems by which a proxy refuses the login. */
const REFUSED_LOGIN = /\b(?:401|407)\b|authentication failed/i

export interface OpenEgress {
  /** For Playwright, which answers the forwarder outside of Chromium's command line. */
  proxy: { server: string; username: string; password: string }
  /** Arguments for Chromium. */
  arguments: string[]
  /** A clause about the latest request that the proxy did not pass on; null if there was none. */
  problem(): string | null
  /** Repeatable, never rejects. */
  close(): Promise<void>
}

export async function openEgress({ proxy, media }: Egress): Promise<OpenEgress> {
  const forwarder = new Forwarder(() => ({ upstreamProxyUrl: proxy }))
  await forwarder.listen()
  return {
    proxy: { server: `http://127.0.0.1:${forwarder.port}`, ...forwarder.login },
    // WebRTC goes through the proxy by TCP, or not at all.
    arguments: media === 'proxy' ? ['--force-webrtc-ip-handling-policy=disable_non_proxied_udp'] : [],
    problem: () => forwarder.problem,
    close: () => forwarder.close(true).catch(() => {}),
  }
}

type Onward = Exclude<Awaited<ReturnType<PrepareRequestFunction>>, undefined>

/** A proxy on the loopback, with a login of its own. */
export class Forwarder extends Server {
  problem: string | null = null
  readonly login = { username: randomUUID(), password: randomUUID() }

  /** `onward`: the way of a request that has the login. Rejects with a RequestError if there is none. */
  constructor(onward: (asked: PrepareRequestFunctionOpts) => Onward | Promise<Onward>) {
    super({
      host: '127.0.0.1',
      port: 0,
      prepareRequestFunction: (asked) =>
        asked.username === this.login.username && asked.password === this.login.password
          ? onward(asked)
          : { requestAuthentication: true },
    })
  }

  /** The library reports problems with the proxy in its log only. */
  override log(_id: unknown, line: string): void {
    const cause = /upstream (?:SOCKS )?proxy:? (.+)/.exec(line)?.[1]
    if (cause !== undefined)
      this.problem = REFUSED_LOGIN.test(cause)
        ? 'the proxy refused the user name or the password'
        : `the proxy cannot be reached (${cause.replace(/^\w*Error: /, '')})`
  }
}
