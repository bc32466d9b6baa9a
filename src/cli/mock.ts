import type { MockPlatformName } from '@standin/mock/index.ts'
import type { Io } from '../main.ts'
import { loadMock } from './mock-package.ts'

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
      "Send a bot with:     npx standin join <meeting link of the host page> <its platform's options>",
      '',
      ...mappings,
      '',
      'Ctrl-C ends it.',
      '',
    ].join('\n'),
  )
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await mocks.close()
  return 0
}
