/** The environment of a bot's process: what programs need, the settings of the worker, and nothing else of the service. */
import type { Job } from '@standin/wire/job.ts'

type Environment = Readonly<Record<string, string | undefined>>

const SYSTEM = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
]

/** Settings of the worker; docs/operating.md names them. Keys of speech services go into the job. */
const WORKER = [
  'STANDIN_TRANSCRIPTION_URL',
  'STANDIN_TRANSCRIPTION_MODEL',
  'STANDIN_TRANSCRIPTION_LANGUAGES',
  'STANDIN_TRANSCRIPTION_LIVE_URL',
  'STANDIN_TRANSCRIPTION_LIVE_MODEL',
  'STANDIN_SPEECH_MODEL',
  'STANDIN_SPEECH_ENGINE',
  'STANDIN_DEEPGRAM_URL',
  'STANDIN_ASSEMBLYAI_URL',
  'STANDIN_ASSEMBLYAI_LIVE_URL',
  'STANDIN_CHROMIUM',
  'STANDIN_BROWSER_PLUGINS',
  'STANDIN_JITSI_HOSTS',
  'STANDIN_LOG_LEVEL',
  'STANDIN_BOT_USER',
  'STANDIN_ALLOW_ROOT',
]

/** A bot without keys in its job finds them as every program of AWS does. */
function usesAmbientKeys(storage: Job['storage']): boolean {
  return storage.type === 's3' && storage.access_key_id === undefined
}

/** Variables of the service that a bot gets. */
export function botEnvironment(service: Environment, storage: Job['storage']): Record<string, string> {
  const isPassed = (name: string) =>
    SYSTEM.includes(name) || WORKER.includes(name) || (name.startsWith('AWS_') && usesAmbientKeys(storage))
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
