/** The environment of a bot: what programs need, the settings of the worker, and nothing else of the service. */
import type { Job } from '@standin/wire/job.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What every bot gets, wherever it runs: no path of this machine, and nothing secret. docs/operating.md names the settings of
 * the worker; keys of speech services go into the job.
 */
const ANYWHERE = [
  'TZ',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'STANDIN_TRANSCRIPTION_URL',
  'STANDIN_TRANSCRIPTION_MODEL',
  'STANDIN_TRANSCRIPTION_LANGUAGES',
  'STANDIN_TRANSCRIPTION_LIVE_URL',
  'STANDIN_TRANSCRIPTION_LIVE_MODEL',
  'STANDIN_SPEECH_MODEL',
  'STANDIN_SPEECH_ENGINE',
  'STANDIN_SPEAKER_MODEL',
  'STANDIN_VOICE_URL',
  'STANDIN_VOICE_SERVICE_MODEL',
  'STANDIN_VOICE_MODEL',
  'STANDIN_VOICE_NAME',
  'STANDIN_AGENT_URL',
  'STANDIN_DEEPGRAM_URL',
  'STANDIN_ASSEMBLYAI_URL',
  'STANDIN_ASSEMBLYAI_LIVE_URL',
  'STANDIN_BROWSER_PLUGINS',
  'STANDIN_BOT_NAMES',
  'STANDIN_JITSI_HOSTS',
  'STANDIN_LOG_LEVEL',
]

const ON_THIS_MACHINE = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'STANDIN_CHROMIUM',
  'STANDIN_BOT_USER',
  'STANDIN_ALLOW_ROOT',
]

const IN_A_CONTAINER = ['AWS_REGION', 'AWS_DEFAULT_REGION']

/** A bot without keys in its job finds them as every program of AWS does. */
export function usesAmbientKeys(storage: Job['storage']): boolean {
  return storage.type === 's3' && storage.access_key_id === undefined
}

/** Variables of the service that a process gets; without a storage, one that does not know its job yet. */
export function botEnvironment(service: Environment, storage?: Job['storage']): Record<string, string> {
  const names = [...ANYWHERE, ...ON_THIS_MACHINE]
  const isAmbient = storage !== undefined && usesAmbientKeys(storage)
  return chosen(service, (name) => names.includes(name) || (name.startsWith('AWS_') && isAmbient))
}

/** Variables of the service that a container gets. */
export function containerEnvironment(service: Environment): Record<string, string> {
  const names = [...ANYWHERE, ...IN_A_CONTAINER]
  return chosen(service, (name) => names.includes(name))
}

function chosen(service: Environment, isPassed: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(service).filter((entry): entry is [string, string] => entry[1] !== undefined && isPassed(entry[0])),
  )
}

/**
 * `STANDIN_PRIVATE_ADDRESSES` of a bot: everything where the service's own setting says so, else the two addresses that
 * the operator chose, with their ports, so that a caller's address on the same host stays refused.
 */
export function permittedAddresses(service: Environment, job: Pick<Job, 'storage' | 'control_plane'>): string {
  if (service.STANDIN_PRIVATE_ADDRESSES === 'allow') return 'allow'
  const own = [job.control_plane?.url, job.storage.type === 's3' ? job.storage.endpoint : undefined]
  return own.flatMap((address) => (address ? [new URL(address).host] : [])).join(',')
}
