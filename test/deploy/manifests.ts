/** The manifests under `deploy/kubernetes`: as kubectl renders an overlay, and as their files are written. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { packageRoot } from '../../core/process/page-scripts.ts'
import { kubectl } from './tools.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents of Kubernetes
export type Document = Record<string, any>

export const FOLDER = join(packageRoot, 'deploy/kubernetes')

/** Ways to run the service; each can be rendered. */
export const OVERLAYS = readdirSync(join(FOLDER, 'overlays'))

/** Throws with what kubectl says if the overlay cannot be rendered. */
export const render = (overlay: string): Document[] => renderFolder(join(FOLDER, 'overlays', overlay))

export const renderFolder = (folder: string): Document[] => documentsOf(kubectl('kustomize', folder))

/** Documents of the files that an overlay names, directly or not, without what its kustomizations change in them. */
export function written(overlay: string): Document[] {
  return collect(join(FOLDER, 'overlays', overlay))
}

function collect(path: string): Document[] {
  if (path.endsWith('.yaml')) return documentsOf(readFileSync(path, 'utf8'))
  const [kustomization] = documentsOf(readFileSync(join(path, 'kustomization.yaml'), 'utf8'))
  const { resources = [], components = [], patches = [], configMapGenerator: generated = [] } = kustomization!
  const files = [...resources, ...components, ...patches.flatMap((patch: Document) => patch.path ?? [])]
  const settings = generated.map(({ name, namespace, literals }: Document) => ({
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: Object.fromEntries(literals.map((literal: string) => /^([^=]+)=(.*)$/.exec(literal)!.slice(1))),
  }))
  const named = files.map((file) => join(path, file))
  const missing = named.filter((target) => !existsSync(target))
  if (missing.length > 0) throw new Error(`${path} names what does not exist: ${missing.join(', ')}`)
  return [...settings, ...named.flatMap(collect)]
}

export function documentsOf(text: string): Document[] {
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
