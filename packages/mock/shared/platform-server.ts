/** One mock platform: its hosts on one local port, its meetings, and the host's page. */
import { pageScript } from '../../core/process/page-scripts.ts'
import { LOOPBACK } from '../media/room.ts'
import type { MockMeeting, MockMeetingOptions } from '../types.ts'
import { type AccountCookie, Accounts } from './accounts.ts'
import { type Certificate, makeCertificate } from './certificate.ts'
import { startHostPage } from './host-page.ts'
import type { Meeting } from './meeting.ts'
import { type AcceptSocket, type Exchange, Site } from './site.ts'
import type { MeetingVisit } from './visit.ts'

/** The parts of a platform. */
export interface MockPlatform<M extends Meeting = Meeting> {
  /** As its folder, such as `google-meet`. */
  readonly name: string
  /** As people say it. */
  readonly title: string
  /** The real host names; those with a wildcard are in the certificate only. */
  readonly hosts: readonly string[]
  readonly scenarios: Readonly<Record<string, { about: string }>>
  /** The session of a signed-in browser; absent if the platform has no accounts. */
  readonly accountCookie?: AccountCookie
  /** A meeting code in the platform's form. */
  newCode(): string
  make(code: string, scenarioName: string, options: MockMeetingOptions): M
  /** Answers one request; scripts and sockets of page loads are answered before. */
  answer(exchange: Exchange, server: PlatformServer<M>): void
  /** For sockets at addresses of the platform's own. */
  acceptSocket?(url: URL, server: PlatformServer<M>): ReturnType<AcceptSocket>
}

export interface MockServerOptions {
  /** 0 (the default) takes any free port. */
  port?: number
  /** Port of the host's page; 0 (the default) takes any free port, null leaves the page out. */
  hostPort?: number | null
  /** Where it listens; a mock in a pod has the pod's address. Default 127.0.0.1. */
  address?: string
}

/** Starts serving. Rejects if a named port is taken. */
export async function startPlatform<M extends Meeting>(
  platform: MockPlatform<M>,
  { port = 0, hostPort = 0, address = LOOPBACK }: MockServerOptions = {},
): Promise<PlatformServer<M>> {
  const certificate = await makeCertificate(platform.hosts)
  const server = new PlatformServer(platform, certificate)
  await server.listen(port, hostPort, address)
  return server
}

export class PlatformServer<M extends Meeting = Meeting> {
  readonly platform: MockPlatform<M>
  readonly meetings = new Map<string, M>()
  private readonly rewordings = new WeakMap<M, Readonly<Record<string, string>>>()
  readonly accounts: Accounts
  readonly certificateHash: string
  /** Set from outside where one host's page serves several platforms. */
  hostPage = ''
  private readonly site: Site
  private closeHostPage: () => Promise<void> = async () => {}

  constructor(platform: MockPlatform<M>, certificate: Certificate) {
    this.platform = platform
    this.accounts = new Accounts(platform.accountCookie ?? { name: 'account', domain: 'localhost' })
    this.certificateHash = certificate.hash
    this.site = new Site(
      certificate,
      (exchange) => {
        if (matchesHost(platform.hosts, exchange.host)) platform.answer(exchange, this)
        else exchange.response.writeHead(421).end()
      },
      (url) => platform.acceptSocket?.(url, this) ?? null,
    )
  }

  async listen(port: number, hostPort: number | null, address: string): Promise<void> {
    await this.site.listen(port, address)
    if (hostPort === null) return
    const host = await startHostPage([this], hostPort)
    this.hostPage = host.address
    this.closeHostPage = host.close
  }

  get address(): string {
    return this.site.address
  }

  get hosts(): readonly string[] {
    return this.platform.hosts.filter((host) => !host.startsWith('*'))
  }

  get scenarios(): readonly { name: string; about: string }[] {
    return Object.entries(this.platform.scenarios).map(([name, { about }]) => ({ name, about }))
  }

  open(scenarioName: string, options: MockMeetingOptions = {}): M {
    if (!Object.hasOwn(this.platform.scenarios, scenarioName)) {
      const names = Object.keys(this.platform.scenarios).join(', ')
      throw new Error(`There is no scenario "${scenarioName}"; there are: ${names}`)
    }
    let code = options.code ?? this.platform.newCode()
    if (options.code !== undefined && this.meetings.has(code)) throw new Error(`The meeting ${code} is open already`)
    while (this.meetings.has(code)) code = this.platform.newCode()
    const meeting = this.platform.make(code, scenarioName, options)
    this.meetings.set(code, meeting)
    this.rewordings.set(meeting, options.rewording ?? {})
    return meeting
  }

  /**
   * Prepares one load of a page: the path of its script, which can be fetched once. The script is the bundle with
   * `__given` (what is given here, and `socketPath` and `token`) in one function, so that none of it is a global of
   * the page. When the page opens its socket, the visit is the one the host deals with.
   */
  loadScript(meeting: M, visit: MeetingVisit, bundle: string, given: Readonly<Record<string, unknown>>): string {
    const socketPath = this.socketFor(meeting, visit)
    const values = JSON.stringify({ ...given, socketPath, token: visit.token }).replaceAll('\u2028', '\\u2028')
    const script = `(()=>{const __given=${values};\n${pageScript(bundle)}\n})()`
    const changed = Object.entries(this.rewordings.get(meeting) ?? {})
    return this.site.scriptOnce(changed.reduce((text, [from, to]) => text.replaceAll(from, to), script))
  }

  /** The path of a socket that can be opened once; its page is then the visit's. */
  socketFor(meeting: M, visit: MeetingVisit): string {
    return this.site.socketOnce((socket) => {
      meeting.makeCurrent(visit.token)
      visit.attach(socket)
    })
  }

  async forget(meeting: MockMeeting): Promise<void> {
    for (const [code, known] of this.meetings) {
      if (known !== meeting) continue
      this.meetings.delete(code)
      await known.close()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.meetings.values()].map((meeting) => meeting.close()))
    await this.closeHostPage()
    await this.site.close()
  }
}

function matchesHost(hosts: readonly string[], host: string): boolean {
  return hosts.some((known) => (known.startsWith('*.') ? host.endsWith(known.slice(1)) : host === known))
}
