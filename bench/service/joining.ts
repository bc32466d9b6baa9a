/**
 * Real bots: the time from the call of the API until the meeting's page is open in the browser. Two services take turns, one of
 * which has a bot that stands by; that without one is the plainest program.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startMockGoogleMeet } from '../../packages/mock/index.ts'
import type { MockServer } from '../../packages/mock/types.ts'
import { bundlePageScripts } from '../../scripts/build.ts'
import { type Figure, type Options, percentile, progress, until } from './measure.ts'
import { type Service, withService } from './service.ts'

const PATIENCE_SECONDS = 180
const PERCENTILE = 0.5
/** A further bot stands by ten seconds after the start of the one before, and then loads its program. */
const STANDS_BY_AFTER_MS = 15_000

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  await bundlePageScripts({ goOn: true })
  const mock = await startMockGoogleMeet()
  const settings = {
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
    STANDIN_DEMO: 'off',
  }
  try {
    return await withService(settings, (without) =>
      withService({ ...settings, STANDIN_SPARE_BOTS: '1' }, async (withSpare) => {
        const services = { without, withSpare }
        for (const service of Object.values(services)) await service.start()
        const opened = { without: [] as number[], withSpare: [] as number[] }
        // The first of each reads files that are not in the page cache yet.
        for (let round = 0; round <= (isSmall ? 1 : 7); round++) {
          await sleep(STANDS_BY_AFTER_MS)
          for (const name of ['without', 'withSpare'] as const) {
            const seconds = await secondsUntilOpen(services[name], mock)
            if (round > 0) opened[name].push(seconds)
            progress(`  round ${round}, ${name}: ${seconds.toFixed(2)} s`)
          }
        }
        return [
          {
            measure: "API call → the meeting's page is open in the browser of a bot that stood by, median",
            value: percentile(opened.withSpare, PERCENTILE),
            unit: 's',
            plain: percentile(opened.without, PERCENTILE),
            goal: { atMost: 2 },
          },
        ]
      }),
    )
  } finally {
    await mock.close()
  }
}

async function secondsUntilOpen(service: Service, mock: MockServer): Promise<number> {
  const meeting = mock.open('waiting-room', { people: [] })
  const askedAt = Date.now()
  const asked = { bot_name: 'Notes', meeting_url: meeting.url }
  const { status, body } = await service.call('POST', '/v2/bots', service.key, asked)
  if (status !== 201) throw new Error(`The bot was refused with ${status}: ${JSON.stringify(body)}`)
  const botId = body.data.bot_id
  const openedAt = () => meeting.log.find(({ event }) => event === 'state')?.at
  await until("the meeting's page is open", PATIENCE_SECONDS, () => openedAt() !== undefined)
  await service.call('POST', `/v2/bots/${botId}/leave`, service.key)
  await until('the bot is over', PATIENCE_SECONDS, async () => {
    const bot = await service.call('GET', `/v2/bots/${botId}`, service.key)
    return ['completed', 'failed'].includes(bot.body.data.status)
  })
  return (openedAt()! - askedAt) / 1000
}
