/** Decides which connections Kubernetes network policies allow, as far as the manifests use them. */
import ipaddr from 'ipaddr.js'
import type { Document, Pod } from './manifests.ts'

export interface Place {
  /** Null: outside of the cluster. */
  pod: Pick<Pod, 'namespace' | 'labels'> | null
  /** Of the pod, or of what is outside. */
  address: string
}

interface Selector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

/** Whether a connection passes: the policies of its beginning and those of its end both have to let it. */
export function passes(
  documents: readonly Document[],
  from: Place,
  to: Place,
  { port, protocol = 'TCP' }: { port: number; protocol?: string },
): boolean {
  const policies = documents.filter(({ kind }) => kind === 'NetworkPolicy')
  const namespaces = new Map(
    documents.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => [metadata.name, metadata.labels ?? {}]),
  )
  const allows = (direction: 'ingress' | 'egress', own: Place, other: Place) => {
    if (own.pod === null) return true
    const { pod } = own
    const type = direction === 'ingress' ? 'Ingress' : 'Egress'
    const mine = policies.filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.namespace &&
        spec.policyTypes.includes(type) &&
        matches(spec.podSelector, pod.labels),
    )
    if (mine.length === 0) return true
    return mine.some(({ metadata, spec }) =>
      (spec[direction] ?? []).some(
        (rule: Document) =>
          portFits(rule.ports, port, protocol) && peerFits(rule.from ?? rule.to, other, metadata.namespace, namespaces),
      ),
    )
  }
  return allows('egress', from, to) && allows('ingress', to, from)
}

/** No list means everything; so does an empty one. */
function portFits(ports: Document[] | undefined, port: number, protocol: string): boolean {
  if (!ports?.length) return true
  return ports.some((one) => (one.protocol ?? 'TCP') === protocol && (one.port === undefined || one.port === port))
}

function peerFits(
  peers: Document[] | undefined,
  { pod, address }: Place,
  namespace: string,
  namespaces: Map<string, Record<string, string>>,
): boolean {
  if (!peers?.length) return true
  return peers.some(({ ipBlock, namespaceSelector, podSelector }) => {
    if (ipBlock)
      return inRange(address, ipBlock.cidr) && !(ipBlock.except ?? []).some((no: string) => inRange(address, no))
    if (pod === null) return false
    const isNamespace = namespaceSelector
      ? matches(namespaceSelector, namespaces.get(pod.namespace) ?? { 'kubernetes.io/metadata.name': pod.namespace })
      : pod.namespace === namespace
    return isNamespace && (podSelector === undefined || matches(podSelector, pod.labels))
  })
}

function inRange(address: string, range: string): boolean {
  const [ip, cidr] = [ipaddr.parse(address), ipaddr.parseCIDR(range)]
  return ip.kind() === cidr[0].kind() && ip.match(cidr)
}

export function matches(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const isThere = labels[key] !== undefined
      if (operator === 'Exists') return isThere
      if (operator === 'DoesNotExist') return !isThere
      if (operator === 'In') return isThere && values.includes(labels[key]!)
      if (operator === 'NotIn') return !isThere || !values.includes(labels[key]!)
      throw new Error(`The operator ${operator} is unknown`)
    })
  )
}
