/**
 * Every setting of the service, once. The command line, the reading of the environment and the report of mistakes are made
 * from these rows, the type of `ServiceConfig` is inferred from them, and a test compares docs/operating.md with them.
 */
import { problemsOf } from '@standin/wire/job.ts'
import { readHostMapping } from '@standin/wire/network/host-mapping.ts'
import { type Prices, pricesSchema } from '../../bots/prices.ts'
import { parseStorage } from '../../files/open-file-store.ts'
import { parseSealKeys } from '../../platform/secrets/seals.ts'
import { documentOf } from './document.ts'
import { egressRules } from './egress.ts'
import * as is from './kind.ts'
import { botNeeds } from './needs.ts'
import * as oidc from './oidc.ts'
import * as pods from './pods.ts'
import { postgresAddress } from './postgres-address.ts'
import { trustedProxies } from './trusted-proxies.ts'

export const ROLES = ['api', 'links', 'launcher', 'dispatcher', 'jobs'] as const
export type Role = (typeof ROLES)[number]
export const LAUNCHERS = ['process', 'docker', 'kubernetes'] as const
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

export interface Row {
  variable: string
  kind: is.Kind<unknown>
  /** As the command line shows it, with its help. Secrets have none, because other users can read arguments. */
  option?: string
  help?: string
  /** The option may be given several times. */
  isRepeatable?: true
  /** Read if nothing is given. */
  default?: string
  /** The value if nothing is given and there is no default; otherwise null. */
  absent?: unknown
  /** A variable that has to be given too. */
  needs?: string
  /** Removed from the environment of this process, so that libraries and child processes do not find it. */
  isSecret?: true
}

export interface Table {
  [name: string]: Row | Table
}

const ISSUER = 'STANDIN_OIDC_ISSUER'
const MAX_DELAY_SECONDS = 7 * 24 * 3600
const ROLE = /^arn:[\w-]+:iam::\d*:role\/[\w+=,.@/-]{1,512}$/
const HOST = /^[A-Za-z0-9_.:[\]-]{1,255}$/

const roles = is.list(
  'role',
  `Choose from ${ROLES.join(', ')}, separated by commas, or leave it out for all`,
  (word) => (ROLES.includes(word as Role) ? (word as Role) : null),
)
const secretKeys = is.kind(
  'Write id:base64 with 32 bytes for each key, such as k1:$(openssl rand -base64 32), separated by commas',
  parseSealKeys,
)
const command = is.kind('Write a program and its arguments', (text) => {
  const words = text.split(' ').filter(Boolean)
  if (words.length === 0) throw new Error('names no program')
  return words
})
const storage = is.kind('Write folder:/srv/recordings or s3://bucket/prefix', (text) => {
  parseStorage(text, {})
  return text
})
const priceList = is.kind(
  'Write a price list as JSON, or the absolute path of a file with it: {"currency": "EUR", "as_of": "2026-11-01", "core_hour": "0.04", "gb_sent": "0.08"}',
  (text): Prices => {
    const { data, error } = pricesSchema.safeParse(documentOf(text))
    if (data !== undefined) return data
    const { path, message } = problemsOf(error)[0]!
    throw new Error(`${path === '' ? 'the document' : path}: ${message}`)
  },
)
/** A link may hold a passcode, so no message repeats one. */
const checkLinks = is.kind('Write links of your test meetings, separated by commas', (text) => {
  const links = text
    .split(',')
    .map((link) => link.trim())
    .filter(Boolean)
  if (links.length === 0 || links.some((link) => !/^https:\/\//.test(link) || !URL.canParse(link)))
    throw new Error('holds a word that is no https:// address')
  return links
})
const delays = is.list(
  'delay',
  `Write 1 to 20 numbers from 0 to ${MAX_DELAY_SECONDS}, such as 5,10,300, separated by commas`,
  (word) => (Number(word) >= 0 && Number(word) <= MAX_DELAY_SECONDS ? Number(word) : null),
  20,
)
const days = (min: number) => is.wholeNumber(min, 36_500)
const onOff = is.isWord('on', 'off')
const webAddress = is.plainAddress('http:', 'https:')
/** A GUID, a domain, or one of the words for several tenants. */
const TENANT = /^[A-Za-z0-9][A-Za-z0-9.-]{0,254}$/

/** An app of the operator at a provider. */
const oauthApp = <const Name extends string>(name: Name) => {
  const [id, secret] = [`STANDIN_${name}_CLIENT_ID`, `STANDIN_${name}_CLIENT_SECRET`] as const
  return {
    clientId: { variable: id, kind: is.anyText, needs: secret },
    clientSecret: { variable: secret, kind: is.anyText, needs: id, isSecret: true },
  } as const
}
const speechAddress = is.addressBy('https:', 'http:')

export const SETTINGS = {
  dataFolder: {
    variable: 'STANDIN_DATA',
    kind: is.anyText,
    default: 'service-data',
    option: '--data <folder>',
    help: 'where database, keys and recordings are',
  },
  databaseUrl: { variable: 'DATABASE_URL', kind: postgresAddress, isSecret: true },
  secretKeys: { variable: 'STANDIN_SECRET_KEYS', kind: secretKeys, isSecret: true },
  host: {
    variable: 'STANDIN_HOST',
    kind: is.matching(HOST, 'a host', 'Write an address of this machine, such as 127.0.0.1, 0.0.0.0 or ::'),
    default: '127.0.0.1',
    option: '--host <address>',
    help: 'where to listen',
  },
  port: {
    variable: 'STANDIN_PORT',
    kind: is.wholeNumber(0, 65_535),
    default: '8080',
    option: '--port <number>',
    help: 'where to listen; 0 means any free port',
  },
  publicUrl: {
    variable: 'STANDIN_PUBLIC_URL',
    kind: webAddress,
    option: '--public-url <url>',
    help: 'address of the service for callers and links (default: the listening address)',
  },
  linkUrl: {
    variable: 'STANDIN_LINK_URL',
    kind: is.plainAddress('ws:', 'wss:'),
    option: '--link-url <url>',
    help: 'address that bots connect to (default: the listening address, path /link)',
  },
  roles: {
    variable: 'STANDIN_ROLES',
    kind: roles,
    default: ROLES.join(','),
    option: '--roles <list>',
    help: 'which of these parts run in this process',
  },
  launcher: {
    variable: 'STANDIN_LAUNCHER',
    kind: is.oneOf(...LAUNCHERS),
    default: 'process',
    option: '--launcher <kind>',
    help: 'what starts bots: process, docker or kubernetes',
  },
  maxBots: {
    variable: 'STANDIN_MAX_BOTS',
    kind: is.wholeNumber(1, 10_000),
    option: '--max-bots <number>',
    help: 'bots at once, at most (default: by cores and memory)',
  },
  spareBots: { variable: 'STANDIN_SPARE_BOTS', kind: is.wholeNumber(0, 16), default: '0' },
  /** Modes that are missing have the defaults. */
  needs: { variable: 'STANDIN_BOT_NEEDS', kind: botNeeds, absent: [] },
  botCommand: {
    variable: 'STANDIN_BOT_COMMAND',
    kind: command,
    option: '--bot-command <line>',
    help: 'starts a bot, split at spaces (default: standin join of this checkout)',
  },
  mapHosts: {
    variable: 'STANDIN_MAP_HOSTS',
    kind: is.list('mapping', 'Write host=ip:port, for example meet.google.com=127.0.0.1:4433', readHostMapping),
    absent: [],
    option: '--map-host <host=ip:port>',
    isRepeatable: true,
    help: 'bots connect there for the host; for mock meetings',
  },
  storage: {
    variable: 'STANDIN_STORAGE',
    kind: storage,
    option: '--storage <place>',
    help: 'folder:<path> or s3://bucket/prefix (default: recordings in the data folder)',
  },
  /** A role whose rights a session policy narrows to the files of one bot. */
  storageRole: {
    variable: 'STANDIN_STORAGE_ROLE',
    kind: is.matching(
      ROLE,
      'the ARN of a role',
      'Write it as the provider shows it, such as arn:aws:iam::123456789012:role/bots',
    ),
  },
  /** Where links to recordings in S3 lead; null: to the storage. */
  files: { variable: 'STANDIN_FILES', kind: is.oneOf('service', 'storage') },
  allowPrivateAddresses: {
    variable: 'STANDIN_PRIVATE_ADDRESSES',
    kind: is.isWord('allow'),
    absent: false,
    option: '--private-addresses <allow>',
    help: 'webhooks and streams may be on private addresses and without TLS',
  },
  trustedProxies: {
    variable: 'STANDIN_TRUSTED_PROXIES',
    kind: trustedProxies,
    absent: [],
    option: '--trusted-proxies <list>',
    help: 'addresses or ranges whose x-forwarded-for is believed (default: none)',
  },
  webhookDelays: {
    variable: 'STANDIN_WEBHOOK_DELAYS',
    kind: delays,
    option: '--webhook-delays <seconds>',
    help: 'between attempts of webhooks (default: 5,10,300,900,1800,7200)',
  },
  logLevel: {
    variable: 'STANDIN_LOG_LEVEL',
    kind: is.oneOf(...LOG_LEVELS),
    default: 'info',
    option: '--log-level <level>',
    help: 'debug, info, warn or error',
  },
  offersDemo: {
    variable: 'STANDIN_DEMO',
    kind: onOff,
    default: 'on',
    option: '--no-demo',
    help: 'offer no mock meeting',
  },
  /** Whether bots of the process launcher get a recognizer of this machine. */
  recognizesSpeech: { variable: 'STANDIN_SPEECH', kind: onOff, default: 'on' },
  resumesBots: { variable: 'STANDIN_RESUME_BOTS', kind: onOff, default: 'on' },
  /** An explicit link in a calendar event's location takes precedence over the one that Google added by itself. */
  prefersLocation: {
    variable: 'STANDIN_CALENDAR_LINKS',
    kind: is.isWord('location_first', 'conference_first'),
    default: 'conference_first',
  },
  jitsiHosts: {
    variable: 'STANDIN_JITSI_HOSTS',
    kind: is.listOf('host', 'Write hosts without a protocol, such as meet.example.com', HOST),
    absent: [],
  },
  words: {
    variable: 'STANDIN_WORDS',
    kind: is.anyText,
    option: '--words <file>',
    help: 'words and selectors in place of the built-in ones',
  },
  /** Test meetings of the operator, whose pages are looked at again and again. */
  checks: {
    links: {
      variable: 'STANDIN_CHECK_LINKS',
      kind: checkLinks,
      absent: [],
      isSecret: true,
    },
    minutes: { variable: 'STANDIN_CHECK_MINUTES', kind: is.wholeNumber(5, 10_080), default: '60' },
  },
  /** Days for which rows are kept. */
  keep: {
    deliveries: { variable: 'STANDIN_DELIVERY_DAYS', kind: days(7), default: '30' },
    histories: { variable: 'STANDIN_HISTORY_DAYS', kind: days(7), default: '180' },
    ledger: { variable: 'STANDIN_LEDGER_DAYS', kind: days(31), default: '400' },
    /** The database refuses an earlier deletion. */
    auditLog: { variable: 'STANDIN_AUDIT_LOG_DAYS', kind: days(31), default: '400' },
  },
  botContainer: {
    image: {
      variable: 'STANDIN_BOT_IMAGE',
      kind: is.anyText,
      default: 'standin',
      option: '--bot-image <name>',
      help: 'image of the worker, for docker and kubernetes',
    },
    pull: { variable: 'STANDIN_BOT_PULL', kind: is.oneOf('never', 'missing', 'always') },
    network: { variable: 'STANDIN_BOT_NETWORK', kind: is.dockerNetwork },
    /** MiB. */
    memory: { variable: 'STANDIN_BOT_MEMORY', kind: is.wholeNumber(256, 1_048_576), default: '2048' },
    /** A browser that loads a page takes every core, so a lower limit makes joining slower. */
    cores: { variable: 'STANDIN_BOT_CPUS', kind: is.wholeNumber(1, 256), default: '2' },
    seccompProfile: { variable: 'STANDIN_BOT_SECCOMP', kind: is.anyText },
    /** The folder of recordings as the engine names it. */
    recordings: { variable: 'STANDIN_BOT_RECORDINGS', kind: is.pathOrVolume },
  },
  botPod: {
    namespace: {
      variable: 'STANDIN_BOT_NAMESPACE',
      kind: pods.namespace,
      option: '--bot-namespace <name>',
      help: 'namespace of bots on kubernetes (default: its own)',
    },
    serviceAccount: { variable: 'STANDIN_BOT_SERVICE_ACCOUNT', kind: pods.objectName('a service account') },
    pullSecret: { variable: 'STANDIN_BOT_PULL_SECRET', kind: pods.objectName('a Secret') },
    nodeSelector: { variable: 'STANDIN_BOT_NODE_SELECTOR', kind: pods.nodeLabels, absent: [] },
    tolerations: { variable: 'STANDIN_BOT_TOLERATIONS', kind: pods.tolerations, absent: [] },
  },
  oidc: {
    issuer: { variable: 'STANDIN_OIDC_ISSUER', kind: oidc.issuer, needs: 'STANDIN_OIDC_CLIENT_ID' },
    clientId: { variable: 'STANDIN_OIDC_CLIENT_ID', kind: is.anyText, needs: ISSUER },
    /** Null: a public client, which proves itself with PKCE alone. */
    clientSecret: { variable: 'STANDIN_OIDC_CLIENT_SECRET', kind: is.anyText, needs: ISSUER, isSecret: true },
    name: { variable: 'STANDIN_OIDC_NAME', kind: oidc.buttonName, needs: ISSUER, absent: '' },
    domains: { variable: 'STANDIN_OIDC_DOMAINS', kind: oidc.domains, needs: ISSUER, absent: [] },
  },
  providers: {
    google: { variable: 'STANDIN_GOOGLE_URL', kind: webAddress, default: 'https://www.googleapis.com' },
    googleToken: {
      variable: 'STANDIN_GOOGLE_TOKEN_URL',
      kind: webAddress,
      default: 'https://oauth2.googleapis.com/token',
    },
    graph: { variable: 'STANDIN_GRAPH_URL', kind: webAddress, default: 'https://graph.microsoft.com' },
    /** The page of consent. Those of Microsoft and Zoom are below the addresses of their tokens. */
    googleConsent: {
      variable: 'STANDIN_GOOGLE_CONSENT_URL',
      kind: webAddress,
      default: 'https://accounts.google.com/o/oauth2/v2/auth',
    },
    microsoftLogin: {
      variable: 'STANDIN_MICROSOFT_LOGIN_URL',
      kind: webAddress,
      default: 'https://login.microsoftonline.com',
    },
    /** Null: `https://zoom.us` and `https://api.zoom.us`. */
    zoom: { variable: 'STANDIN_ZOOM_URL', kind: webAddress },
  },
  /** With which people connect calendars and Zoom in the dashboard. */
  apps: {
    google: oauthApp('GOOGLE'),
    microsoft: {
      ...oauthApp('MICROSOFT'),
      tenant: {
        variable: 'STANDIN_MICROSOFT_TENANT',
        kind: is.matching(TENANT, 'a tenant', 'Write the GUID or the domain of a tenant, or common'),
        default: 'common',
      },
    },
    zoom: oauthApp('ZOOM'),
  },
  /** Proxies of the browsers of bots; the first rule that fits counts. */
  egress: { variable: 'STANDIN_EGRESS', kind: egressRules, absent: [], isSecret: true },
  prices: { variable: 'STANDIN_PRICES', kind: priceList },
  /** Bots read these themselves; the service checks them, so that a mistake is found before the first meeting. */
  worker: {
    botUser: { variable: 'STANDIN_BOT_USER', kind: is.anyText },
    allowsRoot: { variable: 'STANDIN_ALLOW_ROOT', kind: is.isWord('1'), absent: false },
    transcriptionUrl: { variable: 'STANDIN_TRANSCRIPTION_URL', kind: speechAddress },
    transcriptionKey: { variable: 'STANDIN_TRANSCRIPTION_KEY', kind: is.anyText, isSecret: true },
    transcriptionModel: { variable: 'STANDIN_TRANSCRIPTION_MODEL', kind: is.anyText },
    transcriptionLanguages: { variable: 'STANDIN_TRANSCRIPTION_LANGUAGES', kind: is.anyText },
    transcriptionLiveUrl: { variable: 'STANDIN_TRANSCRIPTION_LIVE_URL', kind: is.addressBy('wss:', 'ws:') },
    transcriptionLiveModel: { variable: 'STANDIN_TRANSCRIPTION_LIVE_MODEL', kind: is.anyText },
    speechModel: { variable: 'STANDIN_SPEECH_MODEL', kind: is.anyText },
    speechEngine: { variable: 'STANDIN_SPEECH_ENGINE', kind: is.anyText },
    speakerModel: { variable: 'STANDIN_SPEAKER_MODEL', kind: is.anyText },
    voiceUrl: { variable: 'STANDIN_VOICE_URL', kind: speechAddress },
    voiceKey: { variable: 'STANDIN_VOICE_KEY', kind: is.anyText, isSecret: true },
    voiceServiceModel: { variable: 'STANDIN_VOICE_SERVICE_MODEL', kind: is.anyText },
    voiceModel: { variable: 'STANDIN_VOICE_MODEL', kind: is.anyText },
    voiceName: { variable: 'STANDIN_VOICE_NAME', kind: is.anyText },
    agentUrl: { variable: 'STANDIN_AGENT_URL', kind: is.addressBy('wss:', 'ws:') },
    agentKey: { variable: 'STANDIN_AGENT_KEY', kind: is.anyText, isSecret: true },
    elevenlabsKey: { variable: 'STANDIN_ELEVENLABS_KEY', kind: is.anyText, isSecret: true },
    deepgramKey: { variable: 'STANDIN_DEEPGRAM_KEY', kind: is.anyText, isSecret: true },
    deepgramUrl: { variable: 'STANDIN_DEEPGRAM_URL', kind: speechAddress },
    assemblyaiKey: { variable: 'STANDIN_ASSEMBLYAI_KEY', kind: is.anyText, isSecret: true },
    assemblyaiUrl: { variable: 'STANDIN_ASSEMBLYAI_URL', kind: speechAddress },
    assemblyaiLiveUrl: { variable: 'STANDIN_ASSEMBLYAI_LIVE_URL', kind: is.addressBy('wss:') },
    chromium: { variable: 'STANDIN_CHROMIUM', kind: is.anyText },
    browserPlugins: { variable: 'STANDIN_BROWSER_PLUGINS', kind: is.anyText },
    botNames: { variable: 'STANDIN_BOT_NAMES', kind: is.anyText },
  },
} as const satisfies Table
