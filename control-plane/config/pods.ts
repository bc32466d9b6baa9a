/** Settings of the pods that the Kubernetes launcher starts, beside those that all containers have. */
import { type Given, shown, wholeNumber } from './values.ts'

export interface BotPodConfig {
  /** Null: the namespace's own account. */
  serviceAccount: string | null
  /** Null: nodes need no credentials for the image, or have them. */
  pullSecret: string | null
  nodeSelector: Readonly<Record<string, string>>
  tolerations: readonly { key: string; value: string | null; effect: Effect }[]
  /** Thousandths of a core. */
  requestedMillicores: number
}

type Effect = (typeof EFFECTS)[number]
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const
/** About the use of a bot with video while it records; docs/performance.md. */
const REQUESTED_MILLICORES = 1000

export function botPodOf(ofVariable: (name: string) => Given | null): BotPodConfig {
  return {
    serviceAccount: objectNameOf(ofVariable('STANDIN_BOT_SERVICE_ACCOUNT'), 'a service account'),
    pullSecret: objectNameOf(ofVariable('STANDIN_BOT_PULL_SECRET'), 'a Secret'),
    nodeSelector: nodeSelectorOf(ofVariable('STANDIN_BOT_NODE_SELECTOR')),
    tolerations: tolerationsOf(ofVariable('STANDIN_BOT_TOLERATIONS')),
    requestedMillicores: wholeNumber(ofVariable('STANDIN_BOT_CPU_REQUEST'), 10, 256_000) ?? REQUESTED_MILLICORES,
  }
}

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const DNS_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const LABEL_KEY = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/

export function namespaceOf(given: Given | null): string | null {
  if (given === null || DNS_LABEL.test(given.text)) return given?.text ?? null
  given.report(
    given.place,
    `"${shown(given.text)}" is not a namespace of Kubernetes`,
    'Write small letters, digits and hyphens, 63 at most',
  )
  return null
}

function objectNameOf(given: Given | null, what: string): string | null {
  if (given === null || DNS_NAME.test(given.text)) return given?.text ?? null
  given.report(
    given.place,
    `"${shown(given.text)}" is not the name of ${what} of Kubernetes`,
    'Write small letters, digits, hyphens and points',
  )
  return null
}

function nodeSelectorOf(given: Given | null): Record<string, string> {
  if (given === null) return {}
  const pairs = partsOf(given.text).map((part) => part.split('='))
  const isValid = ([key, value, ...rest]: string[]) =>
    LABEL_KEY.test(key!) && value !== undefined && LABEL_VALUE.test(value) && rest.length === 0
  if (pairs.every(isValid)) return Object.fromEntries(pairs) as Record<string, string>
  given.report(
    given.place,
    `"${shown(given.text)}" is not a list of labels`,
    'Write labels of nodes as key=value, such as pool=bots, separated by commas',
  )
  return {}
}

const TOLERATION = /^(?<key>[^=:]+)(?:=(?<value>[^=:]*))?:(?<effect>\w+)$/

function tolerationsOf(given: Given | null): BotPodConfig['tolerations'] {
  if (given === null) return []
  const found = partsOf(given.text).map((part) => {
    const { key = '', value, effect } = TOLERATION.exec(part)?.groups ?? {}
    const isValid = LABEL_KEY.test(key) && LABEL_VALUE.test(value ?? '') && EFFECTS.includes(effect as Effect)
    return isValid ? { key, value: value ?? null, effect: effect as Effect } : null
  })
  if (!found.includes(null)) return found.filter((each) => each !== null)
  given.report(
    given.place,
    `"${shown(given.text)}" is not a list of taints`,
    `Write key=value:effect or key:effect with ${EFFECTS.join(', ')}, such as pool=bots:NoSchedule`,
  )
  return []
}

const partsOf = (list: string): string[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
