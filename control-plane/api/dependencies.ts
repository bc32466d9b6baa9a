/** The parts of the service that the API uses; `main.ts` passes the real ones. */
import type { AgentProviderName } from '@standin/wire/agent.ts'
import type { SpeechProblems } from '@standin/wire/speech-access.ts'
import type { Registry } from 'prom-client'
import type { Prices } from '../bots/prices.ts'
import type { CalendarOperations } from '../calendars/operations.ts'
import type { BotLinks, Clock, FileHandler, GuardedClient, JobHandler, Log, Probes, Seals } from '../platform/ports.ts'
import type { Traces } from '../platform/traces.ts'
import type { AuthorizedUser, ConnectionApp, ConnectionTokens } from '../store/connections/connections.ts'
import type { Database } from '../store/database.ts'
import type { PartialFeed } from '../store/partial-words.ts'
import type { Identity } from '../store/people/identities.ts'
import type { SentMessage } from '../store/webhooks/sent-messages.ts'
import type { SheddingSettings } from './http/load-shedding.ts'
import type { ReadList } from './http/read-list.ts'
import type { EventTail } from './v2/bot-events/tail.ts'

export interface ApiDependencies {
  /** Shows the rows of the caller's team only (`store/row-security.ts`). Rejects outside the request of a caller. */
  database: Database
  /** Shows the rows of all teams: for signing in, figures of the installation, and hints for launchers. */
  acrossTeams: Database
  /** A separate pool for the checks of keys, so that slow work cannot make a good key look bad. */
  keyDatabase: Database
  /** Reads lists of bots, events and deliveries, in another pool. */
  readList: ReadList
  eventTail: EventTail
  partials: PartialFeed
  seals: Seals
  links: BotLinks
  webhooks: WebhookSender
  /**
   * Starts a new transcript of a closed bot's recording; null: with its own configuration. `webhookUrl` gets the event
   * of its end in place of the bot's own address (older generation). Absent if no worker for it runs.
   */
  retranscribe?: (
    botId: string,
    transcription: { provider: string; apiKey: string | null; customParams: Record<string, unknown> | null } | null,
    webhookUrl?: string | null,
  ) => Promise<'started' | 'no_audio' | 'not_ended' | 'not_found'>
  calendars: CalendarOperations
  conferencing: ConferencingAuthority
  /** Absent if no OpenID provider is configured. */
  oidc?: OidcSignIn
  /** Apps of the operator; absent if none is configured. */
  consents?: Partial<Record<ConsentProvider, ConsentApp>>
  /** Checks addresses that callers name; the API itself requests none. */
  client: Pick<GuardedClient, 'problemOf'>
  clock: Clock
  log: Log
  /** Serves `/files/…`; null if the file store makes its own links. */
  files: FileHandler | null
  /** Serves `/job/…`; absent if this process has no control links. */
  jobs?: JobHandler
  probes: Probes
  /** Metrics of the whole process; the API adds its own. */
  metrics: Registry
  /** Absent: requests are not traced. */
  traces?: Traces
  settings: ApiSettings
}

interface ApiSettings {
  /** Of the program. */
  version?: string
  /** The folder of the dashboard's built page. Absent: it is not served. */
  dashboardFolder?: string
  /** The folder of the documentation's built pages. Absent: they are not served. */
  helpFolder?: string
  /** Address under which callers reach the service. */
  publicUrl: string
  /** Of the built-in mock meeting. Absent: this installation has none. */
  demoLink?: string
  /** Servers of the operator that run Jitsi Meet. */
  jitsiHosts?: readonly string[]
  /** The operator has an app at Zoom, which tokens need. */
  hasZoomApp?: boolean
  /** Providers of agents that need no key of the caller; absent: this process does not know. */
  agentProviders?: readonly AgentProviderName[]
  /** Why providers of transcripts cannot be used. Absent or null: they are not checked at the request. */
  speech?: () => SpeechProblems | null
  /** How long a command waits for the bot's answer, in milliseconds. Default 15,000. */
  commandTimeoutMs?: number
  /** Longest time for a whole request to arrive, in milliseconds. Default 30,000. */
  requestTimeoutMs?: number
  shedding?: SheddingSettings
  /** Prices of the resources of bots. Absent or null: no money is shown. */
  prices?: Prices | null
  /** Addresses of proxies whose `x-forwarded-for` is trusted. Default: none. */
  trustedProxies?: readonly string[]
}

/** `webhooks/replay.ts` and `webhooks/bodies.ts` with database, seals and links filled in. */
interface WebhookSender {
  /** A sample of an event to one endpoint. The id of its delivery; null if the endpoint is disabled. */
  sendTest(endpointId: string): Promise<number | null>
  /** The body of a stored message as it is sent, with new links. */
  sentBody(message: SentMessage): Promise<Record<string, unknown>>
  /** Sends the final message of a bot again. */
  resendEnd(botId: string): Promise<'sent' | 'no_receiver' | 'not_found' | 'not_ended'>
  /** Null: to the callback that the bot was created with. */
  sendCallback(
    botId: string,
    target: { url: string; secret?: string | null; method?: 'POST' | 'PUT' } | null,
  ): Promise<'sent' | 'not_found' | 'not_ended' | 'not_configured'>
}

/** `connections/authorize.ts` with the platform filled in. */
interface ConferencingAuthority {
  /** Spends the code, unless that is done, and reads the profile. The sentences are for the caller. */
  authorize(
    app: ConnectionApp,
    grant: { code: string; redirectUri: string } | ConnectionTokens,
  ): Promise<{ user: AuthorizedUser } | ProviderRefusal>
  /** Whether Microsoft accepts a bot that is registered at Microsoft Teams; null if it does. */
  checkTeamsApp(app: ConnectionApp & { tenantId: string }): Promise<ProviderRefusal | null>
}
export type ProviderRefusal = { refused: string } | { unavailable: string; retryAfterMs: number | null }

/** `sign-in/oidc.ts` with its settings filled in. Its errors have a `kind` and a message for the log. */
export interface OidcSignIn {
  /** The provider's name on the button; empty: a general text. */
  name: string
  /** Of e-mail addresses: their people become viewers of the first team without an invitation. */
  domains: readonly string[]
  begin(redirectUri: string): Promise<{ address: string; attempt: OidcAttempt }>
  finish(answer: URL, attempt: OidcAttempt): Promise<Identity>
}
/** Values that the answer of the provider has to match. */
interface Attempt {
  state: string
  verifier: string
}
interface OidcAttempt extends Attempt {
  nonce: string
}

export const CONSENT_PROVIDERS = ['google', 'microsoft', 'zoom'] as const
export type ConsentProvider = (typeof CONSENT_PROVIDERS)[number]

/** `sign-in/consent.ts` with an app of the operator. Its errors have a `kind` and a message for the log. */
export interface ConsentApp {
  /** Stored with what a person connects, without the secret. `tenantId`: of Microsoft. */
  app: ConnectionApp & { tenantId: string }
  begin(redirectUri: string, account: string | null): Promise<{ address: string; attempt: Attempt }>
  finish(answer: URL, attempt: Attempt): Promise<ConnectionTokens>
}
