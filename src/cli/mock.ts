import { startMockGoogleMeet } from '../../mock/index.ts'
import type { Io } from '../main.ts'

/** `standin mock`: serves the mock meetings until it is interrupted. */
export async function mock(io: Io): Promise<number> {
  const server = await startMockGoogleMeet()
  const mappings = server.hosts.map((host) => `--map-host ${host}=${server.address}`).join(' ')
  io.output.write(
    [
      `Play host here:      ${server.hostPage}`,
      'Send a bot with:     npx standin join <meeting link of the host page> \\',
      `                       ${mappings}`,
      'Ctrl-C ends it.',
      '',
    ].join('\n'),
  )
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await server.close()
  return 0
}
