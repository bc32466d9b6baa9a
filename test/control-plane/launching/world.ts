/** A link server of a world, simulated bots, and as many launching rooms as a test starts. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { changeBot } from '@standin/control-plane/bots/actions/change-bot.ts'
import { createLinkServer } from '@standin/control-plane/control-link/link-server.ts'
import { createBot, type NewBot } from '../../../control-plane/bots/actions/create-bot.ts'
import { stopAsked } from '../../../control-plane/bots/stop.ts'
import { createJoinGrants } from '../../../control-plane/connections/join-grants.ts'
import { connectionTokens } from '../../../control-plane/connections/tokens.ts'
import { type Launching, type LaunchingSettings, startLaunching } from '../../../control-plane/launching/index.ts'
import { type JoinGrants, ProviderError } from '../../../control-plane/platform/ports.ts'
import { addCommand } from '../../../control-plane/store/bots/commands.ts'
import type { Database } from '../../../control-plane/store/database.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { type Base, MEET, quiet, seals } from '../world.ts'
import { type BotHost, startBotHost } from './bot-host.ts'
import { createSimulatedLauncher } from './simulated.ts'
import type { Plan } from './simulated-bot.ts'

/** Stored credentials whose platform is away. */
function grantsOf(database: Database): JoinGrants {
  const away = async () => Promise.reject(new ProviderError('unavailable', 'The platform is away.'))
  const tokens = connectionTokens({ database, seals, platform: { refresh: away }, log: quiet })
  return createJoinGrants({ database, seals, platform: { userToken: away }, tokens, log: quiet })
}

export interface Logged {
  level: 'info' | 'warn' | 'error'
  fields: Record<string, unknown>
  message: string
}

export function openLaunchingParts(base: Base) {
  const { database, url: databaseUrl, row } = base
  const { files } = base.folder('http://127.0.0.1')

  /** Everything around the database fresh, for one test. */
  async function launchingSetting() {
    const host: BotHost = await startBotHost()
    const links = createLinkServer({ database, log: quiet })
    const server = createServer().on('upgrade', (request, socket, head) => links.handleUpgrade(request, socket, head))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const linkUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/link`
    const teamId = await base.teamId()
    const logged: Logged[] = []
    const log = (level: Logged['level']) => (fields: object, message: string) =>
      void logged.push({ level, fields: fields as Record<string, unknown>, message })
    const rooms: Launching[] = []
    /** These learn of a new bot as in the process that creates it. */
    const withoutHints: Launching[] = []

    atEnd(async () => {
      await Promise.all(rooms.map((room) => room.close()))
      await host.close()
      await links.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      // The next test has to find nothing that is due.
      await database.updateTable('bots').set({ phase: 'closed' }).where('phase', '<>', 'closed').execute()
      await database.updateTable('launches').set({ cleaned_at: new Date() }).execute()
    })

    return {
      database,
      databaseUrl,
      files,
      host,
      teamId,
      linkUrl,
      links,
      logged,
      launching(values: Partial<LaunchingSettings> = {}): Launching {
        const room = startLaunching({
          database,
          databaseUrl: null,
          launcher: createSimulatedLauncher(host.url),
          files,
          seals,
          grants: grantsOf(database),
          recover: async () => ({ files: [], problems: [] }),
          joinParts: async () => Promise.reject(new Error('No test joins parts here.')),
          resumesBots: false,
          log: { info: log('info'), warn: log('warn'), error: log('error') },
          linkUrl,
          ...values,
          reconciler: { passMs: 50, everyAttemptMs: 100, ...values.reconciler },
        })
        rooms.push(room)
        if (!values.databaseUrl) withoutHints.push(room)
        return room
      },
      async bot(plan: Plan = {}, values: Partial<NewBot> = {}): Promise<string> {
        const made = await createBot(database, seals, {
          id: randomUUID(),
          teamId,
          apiKeyId: null,
          generation: 'v2',
          isCompat: false,
          meeting: { link: MEET, platform: 'meet', key: 'meet:abc-defg-hij' },
          request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: { plan } },
          joinAt: null,
          ...values,
        })
        if ('refused' in made) throw new Error(`The bot was refused: ${made.refused.code}`)
        for (const room of withoutHints) room.wake()
        return made.botId
      },
      row,
      /** A caller asks the bot to leave; resolves to the command, undefined if none could be given. */
      async askToLeave(botId: string): Promise<string | undefined> {
        const isAsked = await changeBot(database, botId, (bot) => {
          const change = stopAsked(bot, new Date())
          return 'refused' in change ? null : change
        })
        return isAsked ? addCommand(database, botId, { type: 'leave' }, 3600) : undefined
      },
      launches: (botId: string) =>
        database.selectFrom('launches').selectAll().where('bot_id', '=', botId).orderBy('attempt').execute(),
      steps: async (botId: string) =>
        (
          await database
            .selectFrom('bot_steps')
            .select(['kind', 'reason'])
            .where('bot_id', '=', botId)
            .orderBy('id')
            .execute()
        ).map(({ kind, reason }) => ({ kind, reason })),
      messages: (botId: string) =>
        database
          .selectFrom('messages')
          .select(['event', 'body'])
          .where('bot_id', '=', botId)
          .where('generation', '=', 'webhooks')
          .orderBy('created_at')
          .execute() as Promise<{ event: string; body: { data: Record<string, unknown> } }[]>,
      ledger: (botId: string) =>
        database.selectFrom('ledger').select(['kind', 'amount']).where('bot_id', '=', botId).orderBy('id').execute(),
    }
  }

  return { launchingSetting }
}
export type LaunchingSetting = Awaited<ReturnType<ReturnType<typeof openLaunchingParts>['launchingSetting']>>
