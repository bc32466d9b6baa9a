import type { BotRow, NewBotRow } from '@standin/control-plane/store/rows/index.ts'
import type { World } from '../../world.ts'

/** A bot of the older generation that has ended well, unless `values` say otherwise, written without the API. */
export const olderBotRow = async (
  { addBot, row }: World,
  teamId: string,
  values: Partial<NewBotRow> = {},
): Promise<BotRow> => row(await addBot(teamId, { generation: 'older', attempt: 1, joined_attempt: 1, ...values }))
