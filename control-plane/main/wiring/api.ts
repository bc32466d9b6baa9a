/** The API of a process, with the parts that it answers from. Not listening yet. */
import { agentProvidersIn } from '@standin/wire/agent.ts'
import type { SpeechProblems } from '@standin/wire/speech-access.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import type { ApiDependencies, OidcSignIn } from '../../api/dependencies.ts'
import { createReadList } from '../../api/http/read-list.ts'
import { buildApi } from '../../api/http/server.ts'
import { EventTail } from '../../api/v2/bot-events/tail.ts'
import { requestRetranscription } from '../../bots/actions/retranscribe.ts'
import { authorizeUser, checkTeamsApp } from '../../connections/authorize.ts'
import { createOidcProvider } from '../../connections/sign-in/oidc.ts'
import { createArtifactLinks } from '../../files/artifact-links.ts'
import { createGuardedClient } from '../../platform/outgoing/guarded-client.ts'
import type { Log } from '../../platform/ports.ts'
import { readSpeechProblems } from '../../store/capacity.ts'
import type { Database } from '../../store/database.ts'
import { PartialFeed } from '../../store/partial-words.ts'
import { listenForWakeUps, PARTIALS_CHANNEL } from '../../store/wake-ups.ts'
import { sentBody } from '../../webhooks/bodies.ts'
import { resendEnd, sendCallback, sendTest } from '../../webhooks/replay.ts'
import type { ServiceConfig } from '../config/config.ts'
import type { ListeningServer } from './bare-server.ts'
import type { Closing } from './closing.ts'
import { openConsents, zoomAppOf } from './consents.ts'
import { DEMO_LINK } from './demo.ts'
import { installedFile, versionOfProgram } from './installed-file.ts'
import { servesDemo } from './launcher.ts'
import type { Parts } from './parts.ts'

/** `keyDatabase`: so that slow work cannot make a good key look bad. */
export async function openApi(
  parts: Parts,
  { keyDatabase, probes, jobs }: Pick<ApiDependencies, 'probes' | 'jobs'> & { keyDatabase: Database },
): Promise<ListeningServer> {
  const { config, closing, seals, files, platform, teams, client, clock, log, metrics, traces, publicUrl, pool } = parts
  const { database: acrossTeams } = parts
  const database = pool('api')
  // A process that only serves the API need not have the keys of the operator's speech services.
  const speech = parts.has('launcher') ? () => parts.speechProblems : await watchSpeech(acrossTeams, closing, log)
  const eventTail = new EventTail(acrossTeams, log)
  const partials = new PartialFeed()
  const hints = listenForWakeUps(
    parts.databaseUrl,
    'events',
    (botIds) => eventTail.wake(botIds),
    (error) => log.warn({ error: String(error) }, 'The connection for wake-ups broke'),
    { [PARTIALS_CHANNEL]: (message) => partials.receive(message) },
  )
  closing.addWork('events of bots', async () => {
    eventTail.close()
    await hints.close()
  })
  const oidc = config.oidc && openOidc(config.oidc, closing)
  const links = createArtifactLinks(database, files.store, publicUrl)
  const app = await buildApi({
    ...{ database, acrossTeams, keyDatabase, seals, client, clock, log, probes, traces, metrics: metrics.registry },
    ...{ eventTail, partials, readList: createReadList(pool('lists')) },
    links,
    webhooks: {
      sendTest: (endpointId) => sendTest(database, endpointId),
      sentBody: (message) => sentBody(message, links),
      resendEnd: (botId) => resendEnd(database, botId),
      sendCallback: (botId, target) => sendCallback(database, seals, botId, target),
    },
    retranscribe: (...asked) => requestRetranscription(database, seals, ...asked),
    calendars: parts.calendarsOf(database, acrossTeams).operations,
    conferencing: {
      authorize: (app, grant) => authorizeUser(platform, app, grant),
      checkTeamsApp: (app) => checkTeamsApp(teams, app),
    },
    files: files.handler,
    ...(oidc && { oidc }),
    consents: openConsents(config, closing),
    ...(jobs && { jobs }),
    settings: {
      publicUrl,
      version: versionOfProgram(),
      dashboardFolder: installedFile('dist/dashboard'),
      ...(servesDemo(config) && { demoLink: DEMO_LINK }),
      helpFolder: installedFile('dist/help'),
      jitsiHosts: config.jitsiHosts,
      prices: config.prices,
      hasZoomApp: zoomAppOf(config) !== null,
      ...(parts.has('launcher') && { agentProviders: agentProvidersOf(config) }),
      speech,
      ...(config.trustedProxies.length > 0 && { trustedProxies: config.trustedProxies }),
    },
  })
  closing.addWork('api', () => app.close())
  return { server: app.server, listen: (place) => app.listen(place) }
}

function agentProvidersOf({ worker }: ServiceConfig) {
  return agentProvidersIn({
    STANDIN_AGENT_URL: worker.agentUrl,
    STANDIN_AGENT_KEY: worker.agentKey,
    STANDIN_DEEPGRAM_KEY: worker.deepgramKey,
    STANDIN_ELEVENLABS_KEY: worker.elevenlabsKey,
  })
}

/** Its address is the operator's own choice, so it may be a private one. */
function openOidc({ name, domains, ...config }: NonNullable<ServiceConfig['oidc']>, closing: Closing): OidcSignIn {
  const client = createGuardedClient({ allowPrivate: true })
  closing.add('OpenID provider', () => client.close())
  return { ...createOidcProvider({ ...config, client }), name, domains }
}

/** A launcher reports as often. */
const SPEECH_EVERY_MS = 10_000

/** Which providers of transcripts the launchers can use, for a process that has none of their settings. */
async function watchSpeech(database: Database, closing: Closing, log: Log): Promise<() => SpeechProblems | null> {
  let latest = await readSpeechProblems(database)
  const loop = startLoop(
    async () => {
      latest = await readSpeechProblems(database)
      return SPEECH_EVERY_MS
    },
    {
      onError: (error) => log.warn({ error: String(error) }, 'The providers of transcripts could not be read'),
      afterErrorMs: SPEECH_EVERY_MS,
    },
  )
  closing.addWork('providers of transcripts', () => loop.close())
  return () => latest
}
