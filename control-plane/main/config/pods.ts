/** Kinds of the settings of pods, which the Kubernetes launcher starts. */
import { list, matching } from './kind.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const DNS_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const LABEL_KEY = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/
const TOLERATION = /^(?<key>[^=:]+)(?:=(?<value>[^=:]*))?:(?<effect>\w+)$/

export const namespace = matching(
  DNS_LABEL,
  'a namespace of Kubernetes',
  'Write small letters, digits and hyphens, 63 at most',
)

export const objectName = (what: string) =>
  matching(DNS_NAME, `the name of ${what} of Kubernetes`, 'Write small letters, digits, hyphens and points')

export const nodeLabels = list(
  'label',
  'Write labels of nodes as key=value, such as pool=bots, separated by commas',
  (word): [string, string] | null => {
    const [key = '', value, ...rest] = word.split('=')
    const isValid = LABEL_KEY.test(key) && value !== undefined && LABEL_VALUE.test(value) && rest.length === 0
    return isValid ? [key, value] : null
  },
)

export const tolerations = list(
  'taint',
  `Write key=value:effect or key:effect with ${EFFECTS.join(', ')}, such as pool=bots:NoSchedule`,
  (word) => {
    const { key = '', value = null, effect: written } = TOLERATION.exec(word)?.groups ?? {}
    const effect = EFFECTS.find((one) => one === written)
    return effect && LABEL_KEY.test(key) && LABEL_VALUE.test(value ?? '') ? { key, value, effect } : null
  },
)
