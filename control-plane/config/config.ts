/** The settings of the service, read once from options and environment. All mistakes are reported together. */
import { isAbsolute, resolve } from 'node:path'
import { parseStorage, type StorageSettings } from '../files/open-file-store.ts'
import type { MailServer } from '../outgoing/mailer.ts'
import { parseSealKeys, type SealKey } from '../secrets/seals.ts'
import { type BotContainerConfig, botContainerOf, isReachable } from './containers.ts'
import { mailOf } from './mail.ts'
import { type OidcConfig, oidcOf } from './oidc.ts'
import { type BotPodConfig, botPodOf, namespaceOf } from './pods.ts'
import { parseTrustedProxies } from './trusted-proxies.ts'
import { type Given, oneOf, shown, wholeNumber } from './values.ts'

export const ROLES = ['api', 'links', 'launcher', 'dispatcher', 'jobs'] as const
export type Role = (typeof ROLES)[number]

export const LAUNCHERS = ['process', 'docker', 'kubernetes'] as const
export type LauncherKind = (typeof LAUNCHERS)[number]

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** `host=ip:port`: bots send connections for the host there and accept its certificate. */
export interface HostMapping {
  host: string
  address: string
}

export interface ServiceConfig {
  /** Absolute. */
  dataFolder: string
  /** Null: the service's own server in the data folder. */
  databaseUrl: string | null
  host: string
  /** 0: any free port. */
  port: number
  /** Without a slash at the end. Null: the listening address. */
  publicUrl: string | null
  /** Null: the listening address, path `/link`. */
  linkUrl: string | null
  roles: ReadonlySet<Role>
  launcher: LauncherKind
  /** Null: by cores and memory. */
  maxBots: number | null
  /** Program and arguments. Null: this checkout's `standin join`. */
  botCommand: readonly string[] | null
  botImage: string
  /** Of Kubernetes. Null: that of the service itself. */
  botNamespace: string | null
  botContainer: BotContainerConfig
  botPod: BotPodConfig
  mapHosts: readonly HostMapping[]
  storage: StorageSettings
  /** Null: those of `<data>/secret-keys`, which the first start makes. */
  secretKeys: readonly SealKey[] | null
  allowPrivateAddresses: boolean
  /** Addresses and ranges of proxies whose `x-forwarded-for` is trusted. */
  trustedProxies: readonly string[]
  /** Seconds. Null: the dispatcher's own schedule. */
  webhookDelays: readonly number[] | null
  /** Null: no mail is sent. */
  mail: MailServer | null
  providers: ProviderAddresses
  /** Whether a bot that crashes in its meeting rejoins it. */
  resumesBots: boolean
  /** Null: people sign in by link and by password only. */
  oidc: OidcConfig | null
  /** Of calendar events: an explicit link in the location goes before one that Google added by itself. */
  prefersLocation: boolean
  /** Servers that run Jitsi Meet, beside the public ones. */
  jitsiHosts: readonly string[]
  /** Whether the greeting offers the built-in mock meeting. */
  offersDemo: boolean
  /** Whether the start prints a first API key and a sign-in link. Off where the output is collected as a log. */
  greets: boolean
  logLevel: LogLevel
}

export interface ProviderAddresses {
  google: string
  googleToken: string
  graph: string
  microsoftLogin: string
  /** Null: `https://zoom.us` and `https://api.zoom.us`. */
  zoom: string | null
}

export interface ConfigProblem {
  /** The option or the variable. */
  place: string
  message: string
  /** How the operator solves it. */
  cure: string
}

/** Settings that the service cannot be started with. */
export class InvalidConfig extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ place, message, cure }) => `${place}: ${message}. ${cure}.`).join('\n'))
    this.name = 'InvalidConfig'
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Options of the command line; each one overrides its variable. */
export interface ConfigOptions {
  data?: string
  host?: string
  port?: string
  publicUrl?: string
  linkUrl?: string
  roles?: string
  launcher?: string
  maxBots?: string
  botCommand?: string
  botImage?: string
  botNamespace?: string
  mapHost?: readonly string[]
  storage?: string
  privateAddresses?: string
  trustedProxies?: string
  webhookDelays?: string
  logLevel?: string
  demo?: boolean
}

/** Option and variable of the same meaning. Settings that hold secrets have no option: arguments can be read by others. */
const NAMES = {
  data: ['--data', 'STANDIN_DATA'],
  host: ['--host', 'STANDIN_HOST'],
  port: ['--port', 'STANDIN_PORT'],
  publicUrl: ['--public-url', 'STANDIN_PUBLIC_URL'],
  linkUrl: ['--link-url', 'STANDIN_LINK_URL'],
  roles: ['--roles', 'STANDIN_ROLES'],
  launcher: ['--launcher', 'STANDIN_LAUNCHER'],
  maxBots: ['--max-bots', 'STANDIN_MAX_BOTS'],
  botCommand: ['--bot-command', 'STANDIN_BOT_COMMAND'],
  botImage: ['--bot-image', 'STANDIN_BOT_IMAGE'],
  botNamespace: ['--bot-namespace', 'STANDIN_BOT_NAMESPACE'],
  storage: ['--storage', 'STANDIN_STORAGE'],
  privateAddresses: ['--private-addresses', 'STANDIN_PRIVATE_ADDRESSES'],
  trustedProxies: ['--trusted-proxies', 'STANDIN_TRUSTED_PROXIES'],
  webhookDelays: ['--webhook-delays', 'STANDIN_WEBHOOK_DELAYS'],
  logLevel: ['--log-level', 'STANDIN_LOG_LEVEL'],
} as const

const MAX_BOTS = 10_000
const MAX_DELAYS = 20
const MAX_DELAY_SECONDS = 7 * 24 * 3600
const HOST_MAPPING = /^(?<host>[a-z0-9.-]+)=(?<address>(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]|localhost):\d{1,5})$/i

/** Throws `InvalidConfig` with every problem. Paths are relative to `folder`. */
export function readServiceConfig(options: ConfigOptions, environment: Environment, folder: string): ServiceConfig {
  const problems: ConfigProblem[] = []
  const report = (place: string, message: string, cure: string) => void problems.push({ place, message, cure })
  const given = (name: keyof typeof NAMES): Given | null => {
    const [option, variable] = NAMES[name]
    const typed = options[name]
    if (typed !== undefined) return { place: option, text: typed, report }
    const text = environment[variable]?.trim()
    return text ? { place: variable, text, report } : null
  }
  const ofVariable = (name: string): Given | null => {
    const text = environment[name]?.trim()
    return text ? { place: name, text, report } : null
  }

  const dataFolder = resolve(folder, given('data')?.text || 'service-data')
  const storage = given('storage')
  const launcher = oneOf(given('launcher'), LAUNCHERS) ?? 'process'
  const config: ServiceConfig = {
    dataFolder,
    databaseUrl: databaseUrlOf(ofVariable('DATABASE_URL')),
    host: hostOf(given('host')) ?? '127.0.0.1',
    port: wholeNumber(given('port'), 0, 65_535) ?? 8080,
    publicUrl: addressOf(given('publicUrl'), ['http:', 'https:']),
    linkUrl: addressOf(given('linkUrl'), ['ws:', 'wss:']),
    roles: rolesOf(given('roles')),
    launcher,
    maxBots: wholeNumber(given('maxBots'), 1, MAX_BOTS),
    botCommand: given('botCommand')?.text.split(' ').filter(Boolean) ?? null,
    botImage: given('botImage')?.text ?? 'standin',
    botNamespace: namespaceOf(given('botNamespace')),
    botContainer: botContainerOf(ofVariable, folder, launcher),
    botPod: botPodOf(ofVariable),
    mapHosts: mapHostsOf(options.mapHost, ofVariable('STANDIN_MAP_HOSTS'), report),
    storage: storageOf(storage, environment, dataFolder, folder),
    secretKeys: secretKeysOf(ofVariable('STANDIN_SECRET_KEYS')),
    allowPrivateAddresses: oneOf(given('privateAddresses'), ['allow']) === 'allow',
    trustedProxies: proxiesOf(given('trustedProxies')),
    webhookDelays: delaysOf(given('webhookDelays')),
    mail: mailOf(ofVariable),
    providers: providersOf(ofVariable),
    resumesBots: oneOf(ofVariable('STANDIN_RESUME_BOTS'), ['on', 'off']) !== 'off',
    oidc: oidcOf(ofVariable, given('privateAddresses')?.text === 'allow'),
    prefersLocation:
      oneOf(ofVariable('STANDIN_CALENDAR_LINKS'), ['conference_first', 'location_first']) === 'location_first',
    jitsiHosts: wordsOf(ofVariable('STANDIN_JITSI_HOSTS')?.text ?? ''),
    offersDemo: options.demo ?? oneOf(ofVariable('STANDIN_DEMO'), ['on', 'off']) !== 'off',
    greets: oneOf(ofVariable('STANDIN_GREETING'), ['on', 'off']) !== 'off',
    logLevel: oneOf(given('logLevel'), LOG_LEVELS) ?? 'info',
  }
  if (config.roles.has('launcher')) reportUnreachable(config, report)
  if (problems.length > 0) throw new InvalidConfig(problems)
  return Object.freeze(config)
}

/** Reports addresses that bots in containers could not reach. */
function reportUnreachable(config: ServiceConfig, report: Given['report']): void {
  if (config.launcher === 'process') return
  if (!isReachable(config))
    report(
      NAMES.linkUrl[1],
      'names no address under which containers reach the service',
      config.launcher === 'docker'
        ? 'Write for example ws://host.docker.internal:8080/link, and let the service listen there (STANDIN_HOST)'
        : 'Write for example ws://standin-links.standin.svc:8080/link, and let the service listen there (STANDIN_HOST)',
    )
  if (config.launcher === 'kubernetes' && config.storage.type === 'folder')
    report(NAMES.storage[1], 'names a folder, which pods do not reach', 'Write s3://bucket/prefix')
}

/** The text of these settings can contain secrets, so it is not repeated. */
function databaseUrlOf(given: Given | null): string | null {
  if (given === null) return null
  const isPostgres = /^postgres(ql)?:\/\//i.test(given.text) && URL.canParse(given.text)
  if (isPostgres) return given.text
  given.report(
    given.place,
    'is not the address of a PostgreSQL database',
    'Write postgresql://user:password@host:5432/name, or leave it out for a server in the data folder',
  )
  return null
}

function secretKeysOf(given: Given | null): SealKey[] | null {
  if (given === null) return null
  try {
    return parseSealKeys(given.text)
  } catch (error) {
    given.report(
      given.place,
      lowerFirst((error as Error).message),
      'Write id:base64 with 32 bytes for each key, such as k1:$(openssl rand -base64 32), separated by commas',
    )
    return null
  }
}

function hostOf(given: Given | null): string | null {
  if (given === null) return null
  if (/^[A-Za-z0-9_.:[\]-]{1,255}$/.test(given.text) && !given.text.includes('://'))
    return given.text.replace(/^\[(.*)\]$/, '$1')
  given.report(
    given.place,
    `"${shown(given.text)}" is not a host`,
    'Write an address of this machine, such as 127.0.0.1, 0.0.0.0 or ::',
  )
  return null
}

function addressOf(given: Given | null, protocols: readonly string[]): string | null {
  if (given === null) return null
  const starts = protocols.map((protocol) => `${protocol}//`).join(' or ')
  const url = URL.canParse(given.text) ? new URL(given.text) : null
  const problem =
    url === null || !protocols.includes(url.protocol)
      ? `does not start with ${starts}`
      : url.search !== '' || url.hash !== ''
        ? 'has a part behind ? or #'
        : url.username !== '' || url.password !== ''
          ? 'holds a user or a password'
          : null
  if (problem === null) return given.text.replace(/\/+$/, '')
  given.report(given.place, problem, `Write a plain address such as ${protocols.at(-1)}//bots.example.com`)
  return null
}

function rolesOf(given: Given | null): Set<Role> {
  if (given === null) return new Set(ROLES)
  const words = wordsOf(given.text)
  const unknown = words.filter((word) => !(ROLES as readonly string[]).includes(word))
  if (unknown.length > 0 || words.length === 0)
    given.report(
      given.place,
      unknown.length > 0 ? `does not know ${unknown.map((word) => `"${shown(word)}"`).join(', ')}` : 'names no role',
      `Choose from ${ROLES.join(', ')}, separated by commas, or leave it out for all`,
    )
  return new Set(ROLES.filter((role) => words.includes(role)))
}

function mapHostsOf(
  options: readonly string[] | undefined,
  variable: Given | null,
  report: Given['report'],
): HostMapping[] {
  const place = options ? '--map-host' : 'STANDIN_MAP_HOSTS'
  return (options ?? wordsOf(variable?.text ?? '')).flatMap((text) => {
    const { host, address } = HOST_MAPPING.exec(text)?.groups ?? {}
    if (host !== undefined && address !== undefined)
      return [{ host: host.toLowerCase(), address: address.replace(/^localhost/i, '127.0.0.1') }]
    report(place, `"${shown(text)}" is not host=ip:port`, 'Write for example meet.google.com=127.0.0.1:4433')
    return []
  })
}

function storageOf(given: Given | null, environment: Environment, dataFolder: string, folder: string): StorageSettings {
  const fallback: StorageSettings = { type: 'folder', path: resolve(dataFolder, 'recordings') }
  if (given === null) return fallback
  try {
    const storage = parseStorage(given.text, environment)
    if (storage.type !== 'folder' || isAbsolute(storage.path)) return storage
    return { ...storage, path: resolve(folder, storage.path) }
  } catch (error) {
    given.report(
      given.place,
      lowerFirst((error as Error).message),
      'Write folder:/srv/recordings or s3://bucket/prefix',
    )
    return fallback
  }
}

function proxiesOf(given: Given | null): readonly string[] {
  if (given === null) return []
  const { proxies, wrong } = parseTrustedProxies(wordsOf(given.text))
  if (wrong.length === 0 && proxies.length > 0) return proxies
  given.report(
    given.place,
    wrong.length > 0 ? `does not know ${wrong.map((word) => `"${shown(word)}"`).join(', ')}` : 'names no proxy',
    'Write addresses or ranges of your proxies, such as 10.0.0.5,10.1.0.0/16,fd00::/8, separated by commas',
  )
  return []
}

function delaysOf(given: Given | null): number[] | null {
  if (given === null) return null
  const words = wordsOf(given.text)
  const delays = words.map(Number)
  const isValid =
    delays.length > 0 &&
    delays.length <= MAX_DELAYS &&
    delays.every((delay) => Number.isFinite(delay) && delay >= 0 && delay <= MAX_DELAY_SECONDS)
  if (isValid) return delays
  given.report(
    given.place,
    `"${shown(given.text)}" is not a list of seconds`,
    `Write 1 to ${MAX_DELAYS} numbers from 0 to ${MAX_DELAY_SECONDS}, such as 5,10,300`,
  )
  return null
}

function providersOf(ofVariable: (name: string) => Given | null): ProviderAddresses {
  const address = (name: string) => addressOf(ofVariable(name), ['http:', 'https:'])
  return {
    google: address('STANDIN_GOOGLE_URL') ?? 'https://www.googleapis.com',
    googleToken: address('STANDIN_GOOGLE_TOKEN_URL') ?? 'https://oauth2.googleapis.com/token',
    graph: address('STANDIN_GRAPH_URL') ?? 'https://graph.microsoft.com',
    microsoftLogin: address('STANDIN_MICROSOFT_LOGIN_URL') ?? 'https://login.microsoftonline.com',
    zoom: address('STANDIN_ZOOM_URL'),
  }
}

const wordsOf = (list: string): string[] =>
  list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
