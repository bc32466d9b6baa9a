import {
  type ConfigOptions,
  InvalidConfig,
  readServiceConfig,
  rowsOf,
  unknownSettings,
} from '@standin/control-plane/main/config/config.ts'
import { SETTINGS } from '@standin/control-plane/main/config/table.ts'
import { expect, test } from 'vitest'

const read = (environment: Record<string, string> = {}, options: ConfigOptions = {}) =>
  readServiceConfig(options, environment, '/srv/app')

const DATABASE = 'postgresql://standin:secret@db:5432/standin'
const ROLE = 'arn:aws:iam::123456789012:role/bots'

function problemsOf(environment: Record<string, string>, options: ConfigOptions = {}) {
  try {
    read(environment, options)
  } catch (error) {
    if (error instanceof InvalidConfig) return error.problems
    throw error
  }
  return []
}

test('without any setting the service runs for itself on this machine', () => {
  expect(read()).toMatchObject({
    dataFolder: '/srv/app/service-data',
    databaseUrl: null,
    host: '127.0.0.1',
    port: 8080,
    publicUrl: null,
    linkUrl: null,
    roles: new Set(['api', 'links', 'launcher', 'dispatcher', 'jobs']),
    launcher: 'process',
    maxBots: null,
    botCommand: null,
    storage: { type: 'folder', path: '/srv/app/service-data/recordings' },
    secretKeys: null,
    allowPrivateAddresses: false,
    trustedProxies: [],
    webhookDelays: null,
    offersDemo: true,
  })
})

const key = (byte: number) => Buffer.alloc(32, byte)
const zoomMeeting = 'https://zoom.us/j/93812345678'
const UNPRICED = { memory_gb_hour: 0n, gb_received: 0n, gb_stored: 0n }
/** Each variable of the table with a text, and what is read of it beside all others. */
const READ: Record<string, [text: string, config: object]> = {
  DATABASE_URL: [DATABASE, { databaseUrl: DATABASE }],
  STANDIN_DATA: ['/data', { dataFolder: '/data' }],
  STANDIN_HOST: ['0.0.0.0', { host: '0.0.0.0' }],
  STANDIN_PORT: ['9000', { port: 9000 }],
  STANDIN_PUBLIC_URL: ['https://bots.example.com/', { publicUrl: 'https://bots.example.com' }],
  STANDIN_LINK_URL: ['wss://bots.example.com/link', { linkUrl: 'wss://bots.example.com/link' }],
  STANDIN_ROLES: ['api, links', { roles: new Set(['api', 'links']) }],
  STANDIN_LAUNCHER: ['process', { launcher: 'process' }],
  STANDIN_MAX_BOTS: ['12', { maxBots: 12 }],
  STANDIN_SPARE_BOTS: ['1', { spareBots: 1 }],
  STANDIN_BOT_COMMAND: ['node  /opt/bot.js --json', { botCommand: ['node', '/opt/bot.js', '--json'] }],
  STANDIN_BOT_IMAGE: ['registry.example/standin:1', { botContainer: { image: 'registry.example/standin:1' } }],
  STANDIN_BOT_NETWORK: ['standin_bots', { botContainer: { network: 'standin_bots' } }],
  STANDIN_BOT_RECORDINGS: ['standin_recordings', { botContainer: { recordings: 'standin_recordings' } }],
  STANDIN_BOT_PULL: ['missing', { botContainer: { pull: 'missing' } }],
  STANDIN_BOT_MEMORY: ['3072', { botContainer: { memory: 3072 } }],
  STANDIN_BOT_CPUS: ['4', { botContainer: { cores: 4 } }],
  STANDIN_BOT_SECCOMP: ['docker/seccomp.json', { botContainer: { seccompProfile: '/srv/app/docker/seccomp.json' } }],
  STANDIN_BOT_NEEDS: [
    'speaker_view=0:0, audio_only=0.25:512, gallery_view=9:4096',
    {
      needs: {
        speaker_view: { cores: 0, memoryBytes: 0 },
        // No more than a container may take.
        gallery_view: { cores: 4, memoryBytes: 3 * 2 ** 30 },
        audio_only: { cores: 0.25, memoryBytes: 2 ** 29 },
      },
    },
  ],
  STANDIN_BOT_NAMESPACE: ['bots', { botPod: { namespace: 'bots' } }],
  STANDIN_BOT_SERVICE_ACCOUNT: ['bots', { botPod: { serviceAccount: 'bots' } }],
  STANDIN_BOT_PULL_SECRET: ['registry', { botPod: { pullSecret: 'registry' } }],
  STANDIN_BOT_NODE_SELECTOR: ['pool=bots', { botPod: { nodeSelector: { pool: 'bots' } } }],
  STANDIN_BOT_TOLERATIONS: [
    'pool:NoSchedule',
    { botPod: { tolerations: [{ key: 'pool', value: null, effect: 'NoSchedule' }] } },
  ],
  STANDIN_MAP_HOSTS: [
    'meet.google.com=127.0.0.1:4433,zoom.us=localhost:4434',
    {
      mapHosts: [
        { host: 'meet.google.com', address: '127.0.0.1:4433' },
        { host: 'zoom.us', address: '127.0.0.1:4434' },
      ],
    },
  ],
  STANDIN_STORAGE: ['s3://calls/2026', { storage: { type: 's3', bucket: 'calls', prefix: '2026' } }],
  STANDIN_STORAGE_ROLE: [ROLE, { storageRole: ROLE, storage: { roleArn: ROLE } }],
  STANDIN_FILES: ['service', { files: 'service', storage: { isServed: true } }],
  AWS_REGION: ['eu-central-1', { storage: { region: 'eu-central-1' } }],
  STANDIN_SECRET_KEYS: [
    `k2:${key(2).toString('base64')},k1:${key(1).toString('base64')}`,
    {
      secretKeys: [
        { id: 'k2', key: key(2) },
        { id: 'k1', key: key(1) },
      ],
    },
  ],
  STANDIN_PRIVATE_ADDRESSES: ['allow', { allowPrivateAddresses: true }],
  STANDIN_TRUSTED_PROXIES: [
    '10.0.0.5, 10.1.0.0/16,fd00::/8',
    { trustedProxies: ['10.0.0.5', '10.1.0.0/16', 'fd00::/8'] },
  ],
  STANDIN_WEBHOOK_DELAYS: ['0.2, 1,5', { webhookDelays: [0.2, 1, 5] }],
  STANDIN_GOOGLE_URL: ['http://127.0.0.1:1/google', { providers: { google: 'http://127.0.0.1:1/google' } }],
  STANDIN_GOOGLE_TOKEN_URL: ['http://127.0.0.1:1/token', { providers: { googleToken: 'http://127.0.0.1:1/token' } }],
  STANDIN_GOOGLE_CONSENT_URL: ['http://127.0.0.1:1/x', { providers: { googleConsent: 'http://127.0.0.1:1/x' } }],
  STANDIN_GRAPH_URL: ['http://127.0.0.1:2', { providers: { graph: 'http://127.0.0.1:2' } }],
  STANDIN_MICROSOFT_LOGIN_URL: ['http://127.0.0.1:3', { providers: { microsoftLogin: 'http://127.0.0.1:3' } }],
  STANDIN_ZOOM_URL: ['http://127.0.0.1:4', { providers: { zoom: 'http://127.0.0.1:4' } }],
  STANDIN_GOOGLE_CLIENT_ID: ['google-app', { apps: { google: { clientId: 'google-app' } } }],
  STANDIN_GOOGLE_CLIENT_SECRET: ['google-secret', { apps: { google: { clientSecret: 'google-secret' } } }],
  STANDIN_MICROSOFT_CLIENT_ID: ['microsoft-app', { apps: { microsoft: { clientId: 'microsoft-app' } } }],
  STANDIN_MICROSOFT_CLIENT_SECRET: ['ms-secret', { apps: { microsoft: { clientSecret: 'ms-secret' } } }],
  STANDIN_MICROSOFT_TENANT: ['example.com', { apps: { microsoft: { tenant: 'example.com' } } }],
  STANDIN_ZOOM_CLIENT_ID: ['zoom-app', { apps: { zoom: { clientId: 'zoom-app' } } }],
  STANDIN_ZOOM_CLIENT_SECRET: ['zoom-secret', { apps: { zoom: { clientSecret: 'zoom-secret' } } }],
  STANDIN_CALENDAR_LINKS: ['location_first', { prefersLocation: true }],
  STANDIN_OIDC_ISSUER: ['https://id.example.com', { oidc: { issuer: 'https://id.example.com' } }],
  STANDIN_OIDC_CLIENT_ID: ['standin', { oidc: { clientId: 'standin' } }],
  STANDIN_OIDC_CLIENT_SECRET: ['hush', { oidc: { clientSecret: 'hush' } }],
  STANDIN_OIDC_NAME: ['Example', { oidc: { name: 'Example' } }],
  STANDIN_OIDC_DOMAINS: ['example.com', { oidc: { domains: ['example.com'] } }],
  STANDIN_JITSI_HOSTS: [
    ' meet.example.com, , calls.example.net',
    { jitsiHosts: ['meet.example.com', 'calls.example.net'] },
  ],
  STANDIN_DEMO: ['off', { offersDemo: false }],
  STANDIN_LOG_LEVEL: ['warn', { logLevel: 'warn' }],
  STANDIN_SPEECH: ['off', { recognizesSpeech: false }],
  STANDIN_RESUME_BOTS: ['on', { resumesBots: true }],
  STANDIN_EGRESS: [
    '[{"proxy":"http://proxy.example:3128"}]',
    { egress: [{ proxy: 'http://proxy.example:3128', media: 'proxy' }] },
  ],
  STANDIN_TRANSCRIPTION_URL: ['http://127.0.0.1:8000/v1', { worker: { transcriptionUrl: 'http://127.0.0.1:8000/v1' } }],
  STANDIN_TRANSCRIPTION_KEY: ['speech-key', { worker: { transcriptionKey: 'speech-key' } }],
  STANDIN_TRANSCRIPTION_MODEL: ['large', { worker: { transcriptionModel: 'large' } }],
  STANDIN_TRANSCRIPTION_LIVE_URL: [
    'wss://speech.example.com',
    { worker: { transcriptionLiveUrl: 'wss://speech.example.com' } },
  ],
  STANDIN_TRANSCRIPTION_LIVE_MODEL: ['live', { worker: { transcriptionLiveModel: 'live' } }],
  STANDIN_SPEECH_MODEL: ['/models', { worker: { speechModel: '/models' } }],
  STANDIN_SPEAKER_MODEL: ['/speakers', { worker: { speakerModel: '/speakers' } }],
  STANDIN_TRANSCRIPTION_LANGUAGES: ['en,de', { worker: { transcriptionLanguages: 'en,de' } }],
  STANDIN_SPEECH_ENGINE: ['engine', { worker: { speechEngine: 'engine' } }],
  STANDIN_VOICE_URL: ['http://127.0.0.1:8880/v1', { worker: { voiceUrl: 'http://127.0.0.1:8880/v1' } }],
  STANDIN_VOICE_KEY: ['voice-key', { worker: { voiceKey: 'voice-key' } }],
  STANDIN_VOICE_SERVICE_MODEL: ['tts', { worker: { voiceServiceModel: 'tts' } }],
  STANDIN_VOICE_MODEL: ['/voice', { worker: { voiceModel: '/voice' } }],
  STANDIN_VOICE_NAME: ['slt', { worker: { voiceName: 'slt' } }],
  STANDIN_AGENT_URL: ['ws://127.0.0.1:8880/', { worker: { agentUrl: 'ws://127.0.0.1:8880/' } }],
  STANDIN_AGENT_KEY: ['agent-key', { worker: { agentKey: 'agent-key' } }],
  STANDIN_ELEVENLABS_KEY: ['eleven-key', { worker: { elevenlabsKey: 'eleven-key' } }],
  STANDIN_DEEPGRAM_KEY: ['deepgram-key', { worker: { deepgramKey: 'deepgram-key' } }],
  STANDIN_DEEPGRAM_URL: ['https://deepgram.example.com', { worker: { deepgramUrl: 'https://deepgram.example.com' } }],
  STANDIN_ASSEMBLYAI_KEY: ['assemblyai-key', { worker: { assemblyaiKey: 'assemblyai-key' } }],
  STANDIN_ASSEMBLYAI_URL: ['https://a.example.com', { worker: { assemblyaiUrl: 'https://a.example.com' } }],
  STANDIN_ASSEMBLYAI_LIVE_URL: ['wss://a.example.com', { worker: { assemblyaiLiveUrl: 'wss://a.example.com' } }],
  STANDIN_CHROMIUM: ['/usr/bin/chromium', { worker: { chromium: '/usr/bin/chromium' } }],
  STANDIN_BOT_NAMES: ['Protokoll', { worker: { botNames: 'Protokoll' } }],
  STANDIN_BROWSER_PLUGINS: ['a,b', { worker: { browserPlugins: 'a,b' } }],
  STANDIN_BOT_USER: ['bots', { worker: { botUser: 'bots' } }],
  STANDIN_ALLOW_ROOT: ['1', { worker: { allowsRoot: true } }],
  STANDIN_DELIVERY_DAYS: ['14', { keep: { deliveries: 14 } }],
  STANDIN_HISTORY_DAYS: ['60', { keep: { histories: 60 } }],
  STANDIN_LEDGER_DAYS: ['800', { keep: { ledger: 800 } }],
  STANDIN_AUDIT_LOG_DAYS: ['90', { keep: { auditLog: 90 } }],
  STANDIN_WORDS: ['words.json', { words: '/srv/app/words.json' }],
  STANDIN_PRICES: [
    '{"currency":"EUR","as_of":"2026-11-01","core_hour":"0.04","gb_sent":"0.000000001"}',
    { prices: { currency: 'EUR', as_of: '2026-11-01', core_hour: 40_000_000n, gb_sent: 1n, ...UNPRICED } },
  ],
  STANDIN_CHECK_LINKS: [
    `https://meet.google.com/abc-defg-hij, ${zoomMeeting}`,
    { checks: { links: ['https://meet.google.com/abc-defg-hij', zoomMeeting] } },
  ],
  STANDIN_CHECK_MINUTES: ['30', { checks: { minutes: 30 } }],
}

test('every variable of the table is read', () => {
  expect(rowsOf(SETTINGS).filter(({ variable }) => !(variable in READ))).toEqual([])
  const texts = Object.entries(READ).map(([variable, [text]]) => [variable, text])
  const config = read({ ...Object.fromEntries(texts), HOME: '/root' })
  for (const [variable, [, expected]] of Object.entries(READ)) expect(config, variable).toMatchObject(expected)
  const fields = new Set(Object.values(READ).flatMap(([, expected]) => Object.keys(expected)))
  expect(Object.keys(config).filter((field) => !fields.has(field))).toEqual([])
})

test('an option goes before its variable', () => {
  const environment = { STANDIN_PORT: '9000', STANDIN_DATA: '/data', STANDIN_MAP_HOSTS: 'zoom.us=127.0.0.1:1' }
  const config = read(environment, { port: '9001', data: 'here', mapHost: ['meet.google.com=127.0.0.1:2'] })
  expect(config).toMatchObject({
    port: 9001,
    dataFolder: '/srv/app/here',
    mapHosts: [{ host: 'meet.google.com', address: '127.0.0.1:2' }],
  })
})

test.each([
  'postgresql://app@/db?host=/var/run/postgresql',
  'postgresql:///db?host=/var/run/postgresql&user=x@y',
  'postgres://app:p%23@ss@db:5432/db',
  'postgres://app:a,b@db/db',
])('%s is the address of a database', (address) => {
  expect(read({ DATABASE_URL: address }).databaseUrl).toBe(address)
})

test.each([
  ['se#cret', '%23'],
  ['12#3', '%23'],
  ['a#b=c', '%23'],
  ['se/cret', '%2F'],
  ['se?cret', '%3F'],
  ['se%cret', '%25'],
])('a password %s that is not encoded is refused with the code of its sign', (password, code) => {
  const [problem] = problemsOf({ DATABASE_URL: `postgresql://app:${password}@db/standin` })
  expect(problem!.message).toContain(`it is written ${code}`)
  expect(JSON.stringify(problem)).not.toContain(password)
})

test.each([
  ['postgresql://app@one:5432,two:5432/db', 'several hosts'],
  ['postgresql://app:a,b@one,two/db', 'several hosts'],
  ['postgresql://app@db/d%b', 'written %25'],
])('%s is refused with its mistake', (address, mistake) => {
  expect(problemsOf({ DATABASE_URL: address })[0]!.message).toContain(mistake)
})

test('an empty variable is as good as none', () => {
  expect(read({ STANDIN_PORT: '', DATABASE_URL: '', STANDIN_ROLES: ' ' })).toEqual(read())
})

test('a folder for recordings is relative to where the service was started', () => {
  expect(read({ STANDIN_STORAGE: 'folder:calls' }).storage).toEqual({ type: 'folder', path: '/srv/app/calls' })
})

test('all mistakes are reported together, each with its place and its solution', () => {
  const problems = problemsOf(
    {
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      STANDIN_PORT: '80 80',
      STANDIN_ROLES: 'api,worker',
      STANDIN_SECRET_KEYS: 'k1:c2hvcnQ=',
      STANDIN_STORAGE: 'ftp://files',
    },
    { launcher: 'podman' },
  )
  expect(problems.map(({ place }) => place).sort()).toEqual([
    '--launcher',
    'DATABASE_URL',
    'STANDIN_PORT',
    'STANDIN_ROLES',
    'STANDIN_SECRET_KEYS',
    'STANDIN_STORAGE',
  ])
  for (const { message, cure } of problems) {
    expect(message).not.toBe('')
    expect(cure).not.toBe('')
  }
  expect(JSON.stringify(problems)).not.toMatch(/hunter2|c2hvcnQ/)
})

test.each<[string, string]>([
  ['DATABASE_URL', 'host=db user=standin'],
  ['STANDIN_HOST', 'http://127.0.0.1'],
  ['STANDIN_PORT', '65536'],
  ['STANDIN_PORT', '-1'],
  ['STANDIN_PUBLIC_URL', 'bots.example.com'],
  ['STANDIN_PUBLIC_URL', 'https://user:password@bots.example.com'],
  ['STANDIN_PUBLIC_URL', 'https://bots.example.com/?x=1'],
  ['STANDIN_LINK_URL', 'https://bots.example.com/link'],
  ['STANDIN_ROLES', ','],
  ['STANDIN_LAUNCHER', 'Docker'],
  ['STANDIN_STORAGE_ROLE', 'arn:aws:iam::123456789012:user/bots'],
  ['STANDIN_BOT_SERVICE_ACCOUNT', 'Bots'],
  ['STANDIN_BOT_PULL_SECRET', 'a secret'],
  ['STANDIN_BOT_NODE_SELECTOR', 'pool'],
  ['STANDIN_BOT_NODE_SELECTOR', 'pool=a=b'],
  ['STANDIN_BOT_TOLERATIONS', 'pool=bots'],
  ['STANDIN_BOT_TOLERATIONS', 'pool=bots:Never'],
  ['STANDIN_MAX_BOTS', '0'],
  ['STANDIN_MAX_BOTS', '2.5'],
  ['STANDIN_BOT_NAMESPACE', 'Bots!'],
  ['STANDIN_BOT_NETWORK', 'a network'],
  ['STANDIN_BOT_RECORDINGS', './recordings'],
  ['STANDIN_BOT_PULL', 'always'],
  ['STANDIN_BOT_MEMORY', '2g'],
  ['STANDIN_BOT_CPUS', '0'],
  ['STANDIN_BOT_NEEDS', 'audio_only=0.3'],
  ['STANDIN_BOT_NEEDS', 'video=0.3:1024'],
  ['STANDIN_BOT_NEEDS', 'audio_only=0.3:1'],
  ['STANDIN_MAP_HOSTS', 'meet.google.com=example.com:1'],
  ['STANDIN_STORAGE', '/srv/recordings'],
  ['STANDIN_STORAGE', 's3://'],
  ['STANDIN_SECRET_KEYS', 'only-an-id'],
  ['STANDIN_PRIVATE_ADDRESSES', 'yes'],
  ['STANDIN_TRUSTED_PROXIES', 'proxy.example.com'],
  ['STANDIN_TRUSTED_PROXIES', '10.0.0.5 10.0.0.6'],
  ['STANDIN_TRUSTED_PROXIES', '10.0.0'],
  ['STANDIN_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['STANDIN_TRUSTED_PROXIES', '10.0.0.0/255.0.0.0'],
  ['STANDIN_TRUSTED_PROXIES', '0.0.0.0/0'],
  ['STANDIN_TRUSTED_PROXIES', 'fe80::1%eth0'],
  ['STANDIN_TRUSTED_PROXIES', ','],
  ['STANDIN_WEBHOOK_DELAYS', '5;10'],
  ['STANDIN_WEBHOOK_DELAYS', '-5'],
  ['STANDIN_GOOGLE_URL', 'googleapis.com'],
  ['STANDIN_ZOOM_URL', 'ftp://zoom'],
  ['STANDIN_CALENDAR_LINKS', 'location'],
  ['STANDIN_DEMO', 'maybe'],
  ['STANDIN_LOG_LEVEL', 'loud'],
])('%s=%s is refused with a cure', (name, value) => {
  expect(problemsOf({ [name]: value })).toEqual([
    { place: name, message: expect.any(String), cure: expect.any(String) },
  ])
})

test('pods have their own settings, and need an address and recordings that they reach', () => {
  const settings = {
    STANDIN_LAUNCHER: 'kubernetes',
    STANDIN_LINK_URL: 'ws://standin-links.standin.svc:8080/link',
    STANDIN_STORAGE: 's3://calls',
    STANDIN_BOT_PULL: 'always',
    STANDIN_BOT_SERVICE_ACCOUNT: 'bots',
    STANDIN_BOT_PULL_SECRET: 'registry.example',
    STANDIN_BOT_NODE_SELECTOR: 'pool=bots, example.com/zone=a',
    STANDIN_BOT_TOLERATIONS: 'pool=bots:NoSchedule,example.com/busy:NoExecute',
  }
  const { launcher, botContainer, botPod } = read(settings)
  expect({ launcher, pull: botContainer.pull, botPod }).toEqual({
    launcher: 'kubernetes',
    pull: 'always',
    botPod: {
      namespace: null,
      serviceAccount: 'bots',
      pullSecret: 'registry.example',
      nodeSelector: { pool: 'bots', 'example.com/zone': 'a' },
      tolerations: [
        { key: 'pool', value: 'bots', effect: 'NoSchedule' },
        { key: 'example.com/busy', value: null, effect: 'NoExecute' },
      ],
    },
  })
  const missing = { STANDIN_LAUNCHER: 'kubernetes', STANDIN_BOT_NETWORK: 'bots' }
  expect(problemsOf(missing).map(({ place }) => place)).toEqual([
    'STANDIN_BOT_NETWORK',
    'STANDIN_LINK_URL',
    'STANDIN_STORAGE',
  ])
})

test('a role for keys of the bucket needs a bucket', () => {
  const problem = { place: 'STANDIN_STORAGE_ROLE', message: 'is set, and the recordings are in a folder' }
  expect(problemsOf({ STANDIN_STORAGE_ROLE: ROLE })).toMatchObject([problem])
  expect(read({ STANDIN_STORAGE_ROLE: ROLE, STANDIN_STORAGE: 's3://calls' }).storage).toMatchObject({ roleArn: ROLE })
})

test('links lead to storage in S3 unless the service is to serve the files; a folder has no links', () => {
  const problem = {
    place: 'STANDIN_FILES',
    message: 'is storage, and the recordings are in a folder, which has no links',
  }
  expect(problemsOf({ STANDIN_FILES: 'storage' })).toMatchObject([problem])
  expect(read({ STANDIN_FILES: 'service' }).storage).toMatchObject({ type: 'folder' })
  for (const files of ['', 'storage'])
    expect(read({ STANDIN_FILES: files, STANDIN_STORAGE: 's3://calls' }).storage).not.toHaveProperty('isServed')
})

test.each<[string, Record<string, string>, boolean]>([
  ['the listening address', {}, false],
  ['an address of all machines', { STANDIN_LINK_URL: 'ws://0.0.0.0:8080/link' }, false],
  ['the loopback address', { STANDIN_LINK_URL: 'ws://127.0.0.1:8080/link' }, false],
  ['the name of the engine', { STANDIN_LINK_URL: 'ws://host.docker.internal:8080/link' }, true],
  ["the network of the engine's machine", { STANDIN_BOT_NETWORK: 'host' }, true],
  ['a process that starts no bots', { STANDIN_ROLES: 'api' }, true],
])('containers have to reach the service: %s', (_, environment, isFine) => {
  const settings = { STANDIN_LAUNCHER: 'docker', ...environment }
  if (isFine) expect(read(settings).launcher).toBe('docker')
  else expect(problemsOf(settings)).toMatchObject([{ place: 'STANDIN_LINK_URL' }])
})

test('a list of proxies names every mistake', () => {
  const [problem] = problemsOf({ STANDIN_TRUSTED_PROXIES: '10.0.0.5,proxy,::1/129' })
  expect(problem!.message).toBe('does not know "proxy", "::1/129"')
})

test('control characters of a mistake do not reach the terminal', () => {
  const [problem] = problemsOf({ STANDIN_LAUNCHER: 'pod\u001b[2Jman' })
  expect(problem!.message).toBe('"pod?[2Jman" is not known')
})

test('an OpenID provider: whole, over https, and without its secret in a complaint', () => {
  const issuer = 'https://id.example.com/realms/a'
  const whole = { STANDIN_OIDC_ISSUER: issuer, STANDIN_OIDC_CLIENT_ID: 'standin' }
  expect(read().oidc).toBeNull()
  expect(read({ ...whole, STANDIN_OIDC_DOMAINS: '@Example.com, example.org' }).oidc).toEqual({
    issuer,
    clientId: 'standin',
    clientSecret: null,
    name: '',
    domains: ['example.com', 'example.org'],
  })
  expect(read({ ...whole, STANDIN_OIDC_ISSUER: 'http://127.0.0.1:9000' }).oidc?.issuer).toBe('http://127.0.0.1:9000')
  const inside = { ...whole, STANDIN_OIDC_ISSUER: 'http://keycloak:8080' }
  expect(read({ ...inside, STANDIN_PRIVATE_ADDRESSES: 'allow' }).oidc?.issuer).toBe('http://keycloak:8080')
  const mistakes: Record<string, string>[] = [
    { STANDIN_OIDC_CLIENT_SECRET: 'hush-hush' },
    { STANDIN_OIDC_ISSUER: issuer, STANDIN_OIDC_CLIENT_SECRET: 'hush-hush' },
    inside,
    { ...whole, STANDIN_OIDC_ISSUER: 'https://user:hush-hush@id.example.com' },
    { ...whole, STANDIN_OIDC_ISSUER: 'id.example.com' },
    { ...whole, STANDIN_OIDC_DOMAINS: 'example' },
    { ...whole, STANDIN_OIDC_NAME: 'x'.repeat(41) },
  ]
  for (const wrong of mistakes) {
    const problems = problemsOf(wrong)
    expect(problems.length).toBeGreaterThan(0)
    expect(JSON.stringify(problems)).not.toContain('hush-hush')
  }
})

test('no message repeats the text of a secret setting', () => {
  const secrets = rowsOf(SETTINGS).filter(({ isSecret }) => isSecret)
  expect(secrets.length).toBeGreaterThan(5)
  for (const { variable } of secrets)
    for (const text of ['hush-hush', 'http://u:hush-hush@h/?x=hush-hush', 'hush-hush:hush-hush,hush-hush'])
      expect(JSON.stringify(problemsOf({ [variable]: text })), variable).not.toContain('hush-hush')
})

test('what only bots read is checked at the start of the service too', () => {
  const mistakes = {
    STANDIN_TRANSCRIPTION_URL: 'abc',
    STANDIN_JITSI_HOSTS: 'https://x',
    STANDIN_ASSEMBLYAI_LIVE_URL: 'https://x',
  }
  expect(
    problemsOf(mistakes)
      .map(({ place }) => place)
      .sort(),
  ).toEqual(Object.keys(mistakes).sort())
})

test('a misspelled variable is named with the setting that was meant', () => {
  const environment = {
    ...{ STANDIN_LAUNCHR: 'docker', STANDIN_SECRET_KEY: 'hush-hush', STANDIN_BOT_CPU: '2', STANDIN_ANYTHING: 'x' },
    ...{ STANDIN_PORT: '1', STANDIN_JOB_TOKEN: 'x', PATH: '/bin', 'STANDIN_X\u001b': '' },
  }
  expect(unknownSettings(environment)).toEqual([
    '"STANDIN_LAUNCHR" is not a setting; did you mean STANDIN_LAUNCHER?',
    '"STANDIN_SECRET_KEY" is not a setting; did you mean STANDIN_SECRET_KEYS?',
    '"STANDIN_BOT_CPU" is not a setting; did you mean STANDIN_BOT_CPUS?',
    '"STANDIN_ANYTHING" is not a setting',
    '"STANDIN_X?" is not a setting',
  ])
})

test('a name with one character dropped, doubled or replaced is recognized', () => {
  for (const { variable } of rowsOf(SETTINGS).filter(({ variable }) => variable.startsWith('STANDIN_')))
    for (const at of ['STANDIN_'.length, variable.length - 3, variable.length - 1])
      for (const put of ['', variable[at]!.repeat(2), '0']) {
        const name = variable.slice(0, at) + put + variable.slice(at + 1)
        expect(unknownSettings({ [name]: 'x' }), name).toEqual([expect.stringMatching(`did you mean ${variable}`)])
      }
})
