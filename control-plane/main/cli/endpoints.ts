/** Administration commands of endpoints and their deliveries. */

import { CommandMistake, table } from '@standin/wire/process/command-output.ts'
import { WEBHOOK_EVENTS } from '../../bots/messages/kinds.ts'
import { createGuardedClient } from '../../platform/outgoing/guarded-client.ts'
import { readSetting } from '../../store/settings.ts'
import { createEndpoint, enableEndpoint, listEndpoints, rotateSecret } from '../../store/webhooks/endpoints.ts'
import { type ReplayFilter, replayDeliveries, sendTest } from '../../webhooks/replay.ts'
import { PRIVATE_ADDRESSES } from '../wiring/http-address.ts'
import type { Installation } from '../wiring/installation.ts'
import { type CommandContext, onInstallation, teamOf, timeOf, uuidOf } from './context.ts'

export async function createEndpointCommand(
  context: CommandContext,
  url: string,
  { team, events }: { team?: string; events?: string },
): Promise<void> {
  const wanted = events?.split(',').map((event) => event.trim())
  const unknown = wanted?.filter((event) => !(WEBHOOK_EVENTS as readonly string[]).includes(event)) ?? []
  if (unknown.length > 0) {
    const names = unknown.map((event) => `"${event}"`).join(', ')
    throw new CommandMistake(`--events: there is no event ${names}; there are: ${WEBHOOK_EVENTS.join(', ')}`)
  }
  const made = await onInstallation(context, async (installation) => {
    await checkAddress(context, installation, url)
    return createEndpoint(installation.database, installation.seals, {
      teamId: await teamOf(installation, team),
      kind: 'team',
      url,
      events: wanted ?? null,
    })
  })
  context.output.answer({ endpoint_id: made.id, secret: made.secret }, [
    `${made.secret}`,
    `Endpoint id: ${made.id}. The secret, which checks signatures, is shown only now.`,
  ])
}

/** As the service checks it, which may have other settings than the shell of this command. */
async function checkAddress({ config }: CommandContext, { database }: Installation, url: string): Promise<void> {
  const allowPrivate = config.allowPrivateAddresses || (await readSetting(database, PRIVATE_ADDRESSES)) === true
  const client = createGuardedClient({ allowPrivate })
  const problem = client.problemOf(url)
  await client.close()
  if (problem !== null)
    throw new CommandMistake(
      `${problem}${allowPrivate || !URL.canParse(url) ? '' : ' (STANDIN_PRIVATE_ADDRESSES=allow permits private addresses)'}`,
    )
}

export async function listEndpointsCommand(context: CommandContext, { team }: { team?: string }): Promise<void> {
  const endpoints = await onInstallation(context, async (installation) =>
    listEndpoints(installation.database, team === undefined ? {} : { teamId: await teamOf(installation, team) }),
  )
  context.output.answer(
    endpoints.map(({ id, ...rest }) => ({ endpoint_id: id, ...rest })),
    table(
      ['endpoint id', 'kind', 'url', 'events', 'disabled'],
      endpoints.map((one) => [
        one.id,
        one.kind,
        one.url,
        (one.events as string[] | null)?.join(',') ?? 'all',
        one.disabled_reason,
      ]),
      'There is no endpoint.',
    ),
  )
}

export async function testEndpointCommand(context: CommandContext, endpointId: string): Promise<void> {
  const id = uuidOf(endpointId, 'an endpoint')
  const delivery = await onInstallation(context, ({ database }) => sendTest(database, id))
  if (delivery === null) throw new CommandMistake(`There is no endpoint ${id}, or it is disabled`)
  context.output.answer({ endpoint_id: id, delivery_id: delivery }, ['A sample is on its way.'])
}

export async function rotateEndpointCommand(context: CommandContext, endpointId: string): Promise<void> {
  const id = uuidOf(endpointId, 'an endpoint')
  const secret = await onInstallation(context, ({ database, seals }) => rotateSecret(database, seals, id))
  if (secret === null) throw new CommandMistake(`There is no endpoint ${id} with a secret of a team`)
  context.output.answer({ endpoint_id: id, secret }, [secret, 'The secret before signs as well for 24 hours.'])
}

/** For an endpoint that was disabled because it did not answer. */
export async function enableEndpointCommand(context: CommandContext, endpointId: string): Promise<void> {
  const id = uuidOf(endpointId, 'an endpoint')
  const isThere = await onInstallation(context, ({ database }) => enableEndpoint(database, id))
  if (!isThere) throw new CommandMistake(`There is no endpoint ${id}`)
  context.output.answer({ endpoint_id: id }, ['Webhooks are sent there again. For missed ones: endpoints replay'])
}

export interface ReplayOptions {
  /** Times of the events. */
  since?: string
  until?: string
  delivery?: string
  bot?: string
  failed?: boolean
}

export async function replayEndpointCommand(
  context: CommandContext,
  endpointId: string,
  { since, until, delivery, bot, failed }: ReplayOptions,
): Promise<void> {
  const id = uuidOf(endpointId, 'an endpoint')
  if ([since, until, delivery, bot].every((option) => option === undefined))
    throw new CommandMistake('Say what is sent again: --since, --until, --bot or --delivery')
  if (delivery !== undefined && !/^\d{1,15}$/.test(delivery))
    throw new CommandMistake('--delivery is the number of a delivery')
  const filter: ReplayFilter = {
    endpointId: id,
    onlyFailed: failed ?? false,
    ...(since !== undefined && { since: timeOf(since, '--since') }),
    ...(until !== undefined && { until: timeOf(until, '--until') }),
    ...(delivery !== undefined && { deliveryId: Number(delivery) }),
    ...(bot !== undefined && { botId: uuidOf(bot, 'a bot') }),
  }
  const count = await onInstallation(context, ({ database }) => replayDeliveries(database, filter))
  if (count === 0 && delivery !== undefined)
    throw new CommandMistake(
      `Delivery ${delivery} is not sent again: this endpoint has no such delivery, it is not finished, its data was deleted, or the endpoint is disabled`,
    )
  context.output.answer({ endpoint_id: id, replayed: count }, [`${count} deliveries are sent again.`])
}
