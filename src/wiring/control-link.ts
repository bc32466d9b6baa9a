/** The control link of the job, or a local stand-in where the job names no control plane. */
import type { NumberedEvent, Transcript } from '@standin/wire/events.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { lookupFor } from '../../packages/core/network/address-policy.ts'
import type { UsageMeter } from '../../packages/core/ports.ts'
import { openControlLink } from '../control-link/client.ts'
import { type CommandedControlPlane, createLocalControlPlane } from '../control-link/local.ts'
import type { BotConfig } from '../job/config.ts'

export function openControl(
  config: BotConfig,
  logger: Logger,
  usage: Pick<UsageMeter, 'latest'>,
  watchers: { onEvent(event: NumberedEvent): void; onPartial(partial: Transcript): void },
): CommandedControlPlane {
  const { job, workFolder } = config
  const part = logger.child({ part: 'control-link' })
  const common = { botId: job.bot_id, folder: workFolder, logger: part, ...watchers }
  if (!job.control_plane) return createLocalControlPlane(common)
  const { url, token } = job.control_plane
  return openControlLink({ ...common, ...lookupFor(config, 'control_plane.url'), url, token, usage })
}
