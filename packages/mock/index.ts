/** The mock meeting platforms. */
import { googleMeet, startMockGoogleMeet } from './google-meet/index.ts'
import { jitsi, startMockJitsi } from './jitsi/index.ts'
import { microsoftTeams, startMockMicrosoftTeams } from './microsoft-teams/index.ts'
import { startHostPage } from './shared/host-page.ts'
import type { MockServerOptions, PlatformServer } from './shared/platform-server.ts'
import { hostOfStructure, type Replay, startReplay } from './shared/replay.ts'
import { startMockZoom, zoom } from './zoom/index.ts'

export { startMockCalendars } from './calendars/host.ts'
export type { MockGoogleMeet, MockGoogleMeetOptions } from './google-meet/index.ts'
export { DEMO_PEOPLE, runDemoScript } from './shared/demo.ts'
export type { MockServerOptions, PlatformServer } from './shared/platform-server.ts'
export { callbackOf, DONE_PATH, startZoomOauth } from './zoom-oauth/index.ts'
export { startMockGoogleMeet, startMockJitsi, startMockMicrosoftTeams, startMockZoom }

/** By the names that `packages/core/meeting/meeting.ts` has for them. */
const PLATFORMS = {
  meet: { platform: googleMeet, start: startMockGoogleMeet },
  teams: { platform: microsoftTeams, start: startMockMicrosoftTeams },
  zoom: { platform: zoom, start: startMockZoom },
  jitsi: { platform: jitsi, start: startMockJitsi },
} as const

export type MockPlatformName = keyof typeof PLATFORMS

export const MOCK_PLATFORMS = Object.keys(PLATFORMS) as MockPlatformName[]

/** How people say it. */
export function titleOf(name: MockPlatformName): string {
  return PLATFORMS[name].platform.title
}

/** Starts one mock platform. Rejects if a named port is taken. */
export function startMock(name: MockPlatformName, options?: MockServerOptions): Promise<PlatformServer> {
  return PLATFORMS[name].start(options)
}

export interface MockServers {
  servers: PlatformServer[]
  /** One page where a person plays host on all of them. */
  hostPage: string
  close(): Promise<void>
}

/** Starts these mock platforms with one host's page. */
export async function startMocks(names: readonly MockPlatformName[] = MOCK_PLATFORMS): Promise<MockServers> {
  const servers = await Promise.all(names.map((name) => startMock(name, { hostPort: null })))
  const host = await startHostPage(servers, 0)
  for (const server of servers) server.hostPage = host.address
  return {
    servers,
    hostPage: host.address,
    close: async () => {
      await host.close()
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

/** Serves the structure of a page (`debug/structure.html`) under the host names of its platform. */
export function replayStructure(structure: string): Promise<Replay> {
  const host = hostOfStructure(structure)
  const known = Object.values(PLATFORMS).find(({ platform }) => platform.hosts.includes(host))
  // The certificate is for these hosts; a Jitsi server of an operator has its own name.
  return startReplay(structure, [
    ...new Set([host, ...(known?.platform.hosts ?? []).filter((name) => !name.startsWith('*'))]),
  ])
}
