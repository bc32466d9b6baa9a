/** The mock platforms of a test worker. All its files share them, and therefore one Chromium, too. */
import {
  type MockServerOptions,
  startMockGoogleMeet,
  startMockJitsi,
  startMockMicrosoftTeams,
  startMockZoom,
} from '../../packages/mock/index.ts'
import type { MappedHost } from '../../platforms/browser/browser.ts'
import { atWorkerEnd } from '../worker-end.ts'

const OPTIONS: MockServerOptions = {
  hostPort: null,
}

export type WorkerMocks = Awaited<ReturnType<typeof start>>

let started: Promise<WorkerMocks> | null = null

export function workerMocks(): Promise<WorkerMocks> {
  started ??= start()
  return started
}

async function start() {
  const [meet, teams, zoom, jitsi] = await Promise.all([
    startMockGoogleMeet(OPTIONS),
    startMockMicrosoftTeams(OPTIONS),
    startMockZoom(OPTIONS),
    startMockJitsi(OPTIONS),
  ])
  // Google Meet and Zoom both show captchas of www.google.com. Zoom's pages need the headers that its mock adds.
  const addresses = new Map(
    [meet, teams, jitsi, zoom].flatMap(({ hosts, address }) => hosts.map((host) => [host, address] as const)),
  )
  const hostMap: readonly MappedHost[] = [...addresses].map(([host, address]) => ({ host, address }))
  atWorkerEnd(() => Promise.all([meet, teams, zoom, jitsi].map((server) => server.close())))
  return { meet, teams, zoom, jitsi, hostMap }
}
