/**
 * Which addresses a job may name. A job comes from a caller who must not reach the operator's network, and the worker
 * dials from inside it: addresses have to be public and encrypted, unless the operator permits more.
 */
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { toolAddresses } from '@standin/wire/agent.ts'
import { pagesOf } from '@standin/wire/bot-fields.ts'
import { imagesOf, type Job, type Problem } from '@standin/wire/job.ts'
import { guardedLookup, mayBePublic } from '@standin/wire/network/public-addresses.ts'

/** A field of the job that names an address to dial, such as `storage.endpoint`. */
export type AddressField = (typeof ADDRESS_FIELDS)[number]
export const ADDRESS_FIELDS = [
  'streaming.input',
  'streaming.output',
  'control_plane.url',
  'storage.endpoint',
  'bot_image',
  'output_media.camera.url',
  'output_media.screen.url',
  'agent.url',
  'agent.tools',
  'conf_config.obf_token_url',
  'conf_config.zak_token_url',
  'conf_obf_token_url',
  'conf_access_token_url',
] as const

type Environment = Readonly<Record<string, string | undefined>>

/** Every address in the job. The meeting link has separate rules, and the speech service belongs to the operator. */
function addressesOf(job: Job): { field: AddressField; address: string }[] {
  const named: [AddressField, string | null | undefined][] = [
    ['streaming.input', job.streaming?.input],
    ['streaming.output', job.streaming?.output],
    ['control_plane.url', job.control_plane?.url],
    ['storage.endpoint', job.storage.type === 's3' ? job.storage.endpoint : null],
    ...imagesOf(job).map((image): [AddressField, string | null] => [
      'bot_image',
      image.startsWith('data:') ? null : image,
    ]),
    ...pagesOf(job.output_media).map(([target, url]): [AddressField, string] => [`output_media.${target}.url`, url]),
    ['agent.url', job.agent?.url],
    ...toolAddresses(job.agent).map((url): [AddressField, string] => ['agent.tools', url]),
    ['conf_config.obf_token_url', job.conf_config?.obf_token_url],
    ['conf_config.zak_token_url', job.conf_config?.zak_token_url],
    ['conf_obf_token_url', job.conf_obf_token_url],
    ['conf_access_token_url', job.conf_access_token_url],
  ]
  return named.flatMap(([field, address]) => (address ? [{ field, address }] : []))
}

/**
 * The fields whose addresses the operator permits wherever they lead: `typed` ones, those on hosts of
 * STANDIN_PRIVATE_ADDRESSES (`allow`, or a list of hosts), and the endpoint that is the operator's own.
 */
export function permittedFields(job: Job, environment: Environment, typed: readonly AddressField[]): Set<AddressField> {
  const isPermitted = (field: AddressField, address: string) => {
    if (typed.includes(field) || isPermittedAddress(address, environment)) return true
    return field === 'storage.endpoint' && isOperatorEndpoint(address, environment)
  }
  // Of several addresses of one field none rides along on the others.
  const fields = Map.groupBy(addressesOf(job), ({ field }) => field)
  const permitted = [...fields].filter(([field, named]) => named.every(({ address }) => isPermitted(field, address)))
  return new Set(permitted.map(([field]) => field))
}

/** Whether STANDIN_PRIVATE_ADDRESSES (`allow`, or a list of hosts) permits the address wherever it leads. */
export function isPermittedAddress(address: string, environment: Environment): boolean {
  const setting = environment.STANDIN_PRIVATE_ADDRESSES ?? environment.STANDIN_PRIVATE_STREAMS ?? ''
  const hosts = new Set(setting.split(',').map((host) => host.trim().toLowerCase()))
  if (hosts.has('allow')) return true
  const { host, hostname } = new URL(address)
  return hosts.has(host) || hosts.has(hostname)
}

/** Names are checked when they are resolved, by `guardedLookup`. */
export function addressProblems(job: Job, permitted: ReadonlySet<AddressField>): Problem[] {
  return addressesOf(job).flatMap(({ field, address }) => {
    const message = permitted.has(field) ? null : problemOfAddress(address)
    return message === null ? [] : [{ path: field, message }]
  })
}

/** What is wrong with an address that the operator does not permit, without a lookup; null if it may be tried. */
export function problemOfAddress(address: string): string | null {
  const { protocol, hostname } = new URL(address)
  const isPrivate = !mayBePublic(hostname)
  const isEncrypted = protocol === 'wss:' || protocol === 'https:'
  if (isEncrypted && !isPrivate) return null
  const needed = protocol === 'ws:' ? 'wss://' : 'https://'
  const problem = isPrivate ? 'is not a public address' : `must start with ${needed}`
  return `${problem} (STANDIN_PRIVATE_ADDRESSES can permit it)`
}

/**
 * How the addresses of these fields are dialed: a name has to resolve to public addresses unless the operator permits the
 * field. An address that the job does not name, such as that of AWS, is the operator's own.
 */
export function lookupFor(
  { job, permitted }: { job: Job; permitted: ReadonlySet<AddressField> },
  ...fields: AddressField[]
): { lookup?: LookupFunction } {
  const named = addressesOf(job).filter(({ field }) => fields.includes(field))
  const free = named.filter(({ field }) => permitted.has(field)).map(({ address }) => new URL(address).hostname)
  if (free.length === named.length) return {}
  const guarded = guardedLookup()
  return {
    lookup: (hostname, options, callback) => (free.includes(hostname) ? lookup : guarded)(hostname, options, callback),
  }
}

/** The operator's credentials are for AWS and for endpoints that the operator names, never for one that only the job names. */
export function credentialProblems(job: Job, environment: Environment, typed: readonly AddressField[]): Problem[] {
  const { storage } = job
  if (storage.type !== 's3' || storage.endpoint === undefined || storage.access_key_id !== undefined) return []
  if (typed.includes('storage.endpoint') || isOperatorEndpoint(storage.endpoint, environment)) return []
  const message =
    'is missing: an endpoint of the job needs keys of the job (AWS_ENDPOINT_URL_S3 names the endpoint for the keys of the operator)'
  return [{ path: 'storage.access_key_id', message }]
}

function isOperatorEndpoint(address: string, environment: Environment): boolean {
  const own = environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL
  return own !== undefined && URL.canParse(own) && new URL(own).href === new URL(address).href
}
