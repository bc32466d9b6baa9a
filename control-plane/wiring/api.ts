/** The API of a process, with the parts that it answers from. Not listening yet. */
import { speechProblemsOf } from '@standin/wire/speech-access.ts'
import { requestRetranscription } from '../actions/retranscribe.ts'
import { sendTestAlert } from '../alerts/evaluate.ts'
import type { ApiDependencies } from '../api/dependencies.ts'
import { createReadList } from '../api/http/read-list.ts'
import { buildApi } from '../api/http/server.ts'
import { authorizeUser } from '../connections/authorize.ts'
import { createArtifactLinks } from '../files/artifact-links.ts'
import type { Database } from '../store/database.ts'
import { resendEnd, sendCallback, sendTest } from '../webhooks/replay.ts'
import type { ListeningServer } from './bare-server.ts'
import { installedFile, versionOfProgram } from './installed-file.ts'
import { openOidc } from './oidc.ts'
import type { Parts } from './parts.ts'
import { watchSpeech } from './watch-speech.ts'

/** `keyDatabase`: so that slow work cannot make a good key look bad. */
export async function openApi(
  {
    config,
    closing,
    seals,
    files,
    platform,
    client,
    clock,
    log,
    metrics,
    traces,
    publicUrl,
    pool,
    calendarsOf,
    has,
    environment,
  }: Parts,
  { keyDatabase, probes, jobs }: Pick<ApiDependencies, 'probes' | 'jobs'> & { keyDatabase: Database },
): Promise<ListeningServer> {
  const database = pool('api')
  // A process that only serves the API need not have the keys of the operator's speech services.
  const speech = has('launcher') ? () => speechProblemsOf(environment) : await watchSpeech(database, closing, log)
  const oidc = config.oidc && openOidc(config.oidc)
  if (oidc !== null) closing.add('OpenID provider', oidc.close)
  const app = await buildApi({
    ...{ database, keyDatabase, seals, client, clock, log, probes, traces, metrics: metrics.registry },
    readList: createReadList(pool('lists')),
    links: createArtifactLinks(database, files.store),
    webhooks: {
      sendTest: (endpointId) => sendTest(database, endpointId),
      resendEnd: (botId) => resendEnd(database, botId),
      sendCallback: (botId, target) => sendCallback(database, seals, botId, target),
    },
    alerts: { sendsMail: config.mail !== null, sendTest: (ruleId) => sendTestAlert(database, ruleId) },
    retranscribe: (...asked) => requestRetranscription(database, seals, ...asked),
    calendars: calendarsOf(database).operations,
    conferencing: { authorize: (app, grant) => authorizeUser(platform, app, grant) },
    files: files.handler,
    ...(oidc && { oidc: oidc.signIn }),
    ...(jobs && { jobs }),
    settings: {
      publicUrl,
      version: versionOfProgram(),
      dashboardFolder: installedFile('dist/dashboard'),
      jitsiHosts: config.jitsiHosts,
      speech,
      ...(config.trustedProxies.length > 0 && { trustedProxies: config.trustedProxies }),
    },
  })
  closing.addWork('api', () => app.close())
  return { server: app.server, listen: (place) => app.listen(place) }
}
