import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { MockPlatformName } from '@standin/mock/index.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { loadMock } from './mock-package.ts'
import { fileProblem } from './shown-text.ts'

/** `standin mock`: serves the mock meetings of these platforms, or of all, until it is interrupted. Throws MockIsMissing. */
export async function mock(platforms: readonly MockPlatformName[], io: Io): Promise<number> {
  const { startMocks } = await loadMock()
  const mocks = await startMocks(platforms.length > 0 ? [...new Set(platforms)] : undefined)
  const mappings = mocks.servers.flatMap(({ platform, hosts, address }) => [
    `${platform.title}:`,
    ...hosts.map((host) => `  --map-host ${host}=${address}`),
  ])
  io.output.write(
    [
      `Play host here:      ${mocks.hostPage}`,
      "Send a bot with:     standin join <meeting link of the host page> <its platform's options>",
      '',
      ...mappings,
      '',
      'Ctrl-C ends it.',
      '',
    ].join('\n'),
  )
  await untilInterrupted()
  await mocks.close()
  return 0
}

/** `standin mock --replay`: serves a page that a bot did not understand, until it is interrupted. Throws MockIsMissing. */
export async function mockReplay(place: string, io: Io): Promise<number> {
  const { replayStructure } = await loadMock()
  const replay = await structureAt(place)
    .then(replayStructure)
    .catch((error) => {
      throw new CommandMistake(`${place} cannot be replayed: ${fileProblem(error, place)}`)
    })
  const mappings = replay.hosts.map((host) => `  --map-host ${host}=${replay.address}`)
  io.output.write(
    ['Every link of these hosts shows the page, with its options:', ...mappings, '', 'Ctrl-C ends it.', ''].join('\n'),
  )
  await untilInterrupted()
  await replay.close()
  return 0
}

/** Of the file itself, a `debug` folder, or the folder of a recording. */
async function structureAt(place: string): Promise<string> {
  if (!(await stat(place)).isDirectory()) return readFile(place, 'utf8')
  const inDebug = join(place, 'debug', 'structure.html')
  return readFile(existsSync(inDebug) ? inDebug : join(place, 'structure.html'), 'utf8')
}

interface StandInFlags {
  port?: number
  /** Address of the service that the pages of consent lead back to. */
  service: string
}

/** `standin mock zoom-oauth`: serves the stand-in of Zoom's OAuth server until it is interrupted. Throws MockIsMissing. */
export async function mockZoomOauth({ port, service }: StandInFlags, io: Io): Promise<number> {
  const { startZoomOauth, DONE_PATH, callbackOf } = await loadMock()
  const zoom = await startZoomOauth(port === undefined ? {} : { port })
  const redirectUris = [new URL(DONE_PATH, zoom.url).href, callbackOf(service, 'zoom')]
  const { clientId, clientSecret } = zoom.addApp({ redirectUris })
  for (const name of ['Ann', 'Bob'])
    zoom.addUser({ firstName: name, lastName: 'Host', email: `${name.toLowerCase()}@example.com` })
  io.output.write(
    [
      `Allow the app, and break things: ${zoom.url}/`,
      'Start the service with:',
      ...[`URL=${zoom.url}`, `CLIENT_ID=${clientId}`, `CLIENT_SECRET=${clientSecret}`].map(
        (line) => `  STANDIN_ZOOM_${line}`,
      ),
      '',
      'Ctrl-C ends it.',
      '',
    ].join('\n'),
  )
  await untilInterrupted()
  await zoom.close()
  return 0
}

/** `standin mock calendars`: serves the stand-ins of both calendars until it is interrupted. Throws MockIsMissing. */
export async function mockCalendars({ port, service }: StandInFlags, io: Io): Promise<number> {
  const { startMockCalendars } = await loadMock()
  const calendars = await startMockCalendars({ service, ...(port !== undefined && { port }) })
  const { google, microsoft } = calendars
  const tokens = [google, microsoft].map(({ accounts, tokens }) => tokens.liveToken(accounts[0]!))
  io.output.write(
    [
      `Read (GET) and change (POST) the calendars as JSON: ${calendars.control}`,
      'Start the service with:',
      ...[...calendars.settings, 'STANDIN_PRIVATE_ADDRESSES=allow'].map((line) => `  ${line}`),
      `Connect in the dashboard, or with client id ${google.tokens.clientId}, client secret ${google.tokens.clientSecret} and the refresh token of`,
      `  Google:    ${tokens[0]}   (calendar: primary)`,
      `  Microsoft: ${tokens[1]}   (calendar: ${microsoft.accounts[0]!.primary.id})`,
      "Microsoft's refresh token changes with each use; that address shows the one that works.",
      '',
      'Ctrl-C ends it.',
      '',
    ].join('\n'),
  )
  await untilInterrupted()
  await calendars.close()
  return 0
}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}
