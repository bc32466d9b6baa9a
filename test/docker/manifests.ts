/** The objects that the Helm chart renders. */
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { helm } from './tools.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents of Kubernetes
export type Document = Record<string, any>

export const CHART = join(packageRoot, 'docker/helm/standin')

export const valuesFile = (name: string) => join(CHART, `values-${name}.yaml`)

/** With `values-<name>.yaml`. Throws with what Helm says if it cannot be rendered. */
export const template = (name: string, ...options: string[]): string =>
  helm('template', 'any-name', CHART, '--namespace', 'standin', '-f', valuesFile(name), ...options)

export const render = (name: string, ...options: string[]): Document[] => documentsOf(template(name, ...options))

function documentsOf(text: string): Document[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Document
  })
}

export interface Pod {
  name: string
  namespace: string
  labels: Record<string, string>
  spec: Document
  /** Init containers too. */
  containers: Document[]
}

/** The pods that Deployments, StatefulSets and Jobs would run. */
export function podsOf(documents: readonly Document[]): Pod[] {
  return documents
    .filter(({ spec }) => spec?.template?.spec !== undefined)
    .map(({ metadata, spec: { template } }) => ({
      name: metadata.name,
      namespace: metadata.namespace,
      labels: template.metadata?.labels ?? {},
      spec: template.spec,
      containers: [...(template.spec.initContainers ?? []), ...(template.spec.containers ?? [])],
    }))
}
