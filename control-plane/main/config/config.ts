/** Reads the settings once from options and environment. All mistakes are reported together. */
import { resolve } from 'node:path'
import { parseStorage, type StorageSettings } from '../../files/open-file-store.ts'
import { nearestOf } from '../../platform/nearest.ts'
import { type Kind, shown } from './kind.ts'
import { needsWithin } from './needs.ts'
import { isPlainIssuer } from './oidc.ts'
import { ROLES, type Row, SETTINGS, type Table } from './table.ts'

export { LAUNCHERS, ROLES, type Role } from './table.ts'

export type ServiceConfig = ReturnType<typeof readServiceConfig>

export interface ConfigProblem {
  /** The option or the variable. */
  place: string
  message: string
  /** How the operator solves it. */
  cure: string
}

/** Settings that the service cannot be started with. */
export class InvalidConfig extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ place, message, cure }) => `${place}: ${message}. ${cure}.`).join('\n'))
    this.name = 'InvalidConfig'
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Options of the command line by their names in camel case; each one overrides its variable. */
export type ConfigOptions = Readonly<Record<string, string | readonly string[] | boolean | undefined>>

type ValueOf<R extends Row> =
  R['kind'] extends Kind<infer T>
    ? T | (R extends { default: string } ? never : R extends { absent: infer A } ? A : null)
    : never
type ValuesOf<T> = { readonly [K in keyof T]: T[K] extends Row ? ValueOf<T[K]> : ValuesOf<T[K]> }

const isRow = (entry: Row | Table): entry is Row => typeof entry.variable === 'string'

export function rowsOf(table: Table): Row[] {
  return Object.values(table).flatMap((entry) => (isRow(entry) ? [entry] : rowsOf(entry)))
}

/** `--public-url <url>` is `publicUrl`. */
const nameOf = (option: string) =>
  option.replace(/^--(?:no-)?| .*$/g, '').replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** The text of a setting and the place that gives it; null if nothing is given. */
function given({ variable, option }: Row, options: ConfigOptions, environment: Environment) {
  const typed = option && options[nameOf(option)]
  if (option && typed !== undefined && typed !== true)
    return { place: option.split(' ')[0]!, text: typed === false ? 'off' : String(typed) }
  const text = environment[variable]?.trim()
  return text ? { place: variable, text } : null
}

/** Every setting with its text, or null without one, and the place that gives it. Secrets are hidden. */
export function settingsInForce(options: ConfigOptions, environment: Environment, files: ReadonlyMap<string, string>) {
  return rowsOf(SETTINGS).map((row) => {
    const found = given(row, options, environment)
    const text = found?.text ?? row.default ?? null
    return {
      setting: row.variable,
      value: text !== null && row.isSecret ? '(hidden)' : withoutAccess(text),
      from: found === null ? 'default' : (files.get(found.place) ?? found.place),
    }
  })
}

/** Passwords and queries of addresses may be secrets. */
function withoutAccess(text: string | null): string | null {
  return text?.replace(/(:\/\/)[^/@\s]*@/g, '$1…@').replace(/(:\/\/[^\s?]*\?)\S+/g, '$1…') ?? null
}

/** Throws `InvalidConfig` with every problem. Paths are relative to `folder`. */
export function readServiceConfig(options: ConfigOptions, environment: Environment, folder: string) {
  const problems: ConfigProblem[] = []
  const report: Report = ({ variable }, message, cure) => void problems.push({ place: variable, message, cure })
  /** Of a wrong text the value that counts without it, so that the checks below find only what else is wrong. */
  const read = (row: Row): unknown => {
    const { kind, default: standard, absent = null, needs } = row
    const found = given(row, options, environment)
    if (found !== null) {
      const { data, error } = kind.schema.safeParse(found.text)
      if (needs !== undefined && !environment[needs]?.trim())
        report(row, `is set without ${needs}`, 'Set both, or neither')
      if (error === undefined) return data
      problems.push({ place: found.place, message: error.issues[0]!.message, cure: kind.cure })
    }
    return standard === undefined ? absent : kind.schema.parse(standard)
  }
  const readAll = (table: Table): unknown =>
    Object.fromEntries(
      Object.entries(table).map(([name, entry]) => [name, isRow(entry) ? read(entry) : readAll(entry)]),
    )
  const values = readAll(SETTINGS) as ValuesOf<typeof SETTINGS>

  const dataFolder = resolve(folder, values.dataFolder)
  const { launcher, botContainer, botPod, oidc } = values
  const isCluster = launcher === 'kubernetes'
  const config = {
    ...values,
    dataFolder,
    words: values.words && resolve(folder, values.words),
    needs: needsWithin(botContainer, values.needs),
    roles: new Set(ROLES.filter((role) => values.roles.includes(role))),
    storage: storageOf(values, `folder:${resolve(dataFolder, 'recordings')}`, environment, folder),
    botContainer: {
      ...botContainer,
      pull: botContainer.pull ?? (isCluster ? 'missing' : 'never'),
      seccompProfile: botContainer.seccompProfile && resolve(folder, botContainer.seccompProfile),
    },
    botPod: { ...botPod, nodeSelector: Object.fromEntries(botPod.nodeSelector) },
    /** Null: people sign in by link and by password only. */
    oidc:
      oidc.issuer === null || oidc.clientId === null ? null : { ...oidc, issuer: oidc.issuer, clientId: oidc.clientId },
  }
  if (values.storageRole !== null && config.storage.type === 'folder')
    report(
      SETTINGS.storageRole,
      'is set, and the recordings are in a folder',
      'Write s3://bucket/prefix into STANDIN_STORAGE',
    )
  if (values.files === 'storage' && config.storage.type === 'folder')
    report(SETTINGS.files, 'is storage, and the recordings are in a folder, which has no links', 'Leave it out')
  const rows = SETTINGS.botContainer
  if (isCluster && botContainer.network !== null && botContainer.network !== 'host')
    report(rows.network, 'is "host" or nothing on Kubernetes', 'Write host, or leave it out')
  if (!isCluster && botContainer.pull === 'always')
    report(rows.pull, '"always" is known on Kubernetes only', 'Choose one of never, missing')
  if (launcher !== 'process' && config.roles.has('launcher')) reportUnreachable(config, report)
  if (config.oidc && isPlainIssuer(config.oidc.issuer) && !config.allowPrivateAddresses)
    report(SETTINGS.oidc.issuer, 'is not reached by https', SETTINGS.oidc.issuer.kind.cure)
  if (problems.length > 0) throw new InvalidConfig(problems)
  return Object.freeze(config)
}

type Report = (row: Row, message: string, cure: string) => void

function storageOf(
  { storage: text, storageRole: roleArn, files }: Pick<ValuesOf<typeof SETTINGS>, 'storage' | 'storageRole' | 'files'>,
  standard: string,
  environment: Environment,
  folder: string,
): StorageSettings {
  const storage = parseStorage(text ?? standard, environment)
  if (storage.type === 'folder') return { ...storage, path: resolve(folder, storage.path) }
  return { ...storage, ...(roleArn !== null && { roleArn }), ...(files === 'service' && { isServed: true as const }) }
}

/** Reports addresses that bots in containers could not reach: a loopback address means the container itself there. */
function reportUnreachable(
  config: Pick<ServiceConfig, 'launcher' | 'linkUrl' | 'storage' | 'botContainer'>,
  report: Report,
): void {
  const { launcher, linkUrl, storage, botContainer } = config
  const hostname = linkUrl === null ? 'localhost' : new URL(linkUrl).hostname
  const isLoopback = /^(?:localhost|127\..*|\[::1\]|0\.0\.0\.0|\[::\])$/.test(hostname)
  const example = launcher === 'docker' ? 'host.docker.internal' : 'standin-links.standin.svc'
  if (isLoopback && botContainer.network !== 'host')
    report(
      SETTINGS.linkUrl,
      'names no address under which containers reach the service',
      `Write for example ws://${example}:8080/link, and let the service listen there (STANDIN_HOST)`,
    )
  if (launcher === 'kubernetes' && storage.type === 'folder')
    report(SETTINGS.storage, 'names a folder, which pods do not reach', 'Write s3://bucket/prefix')
}

/** Variables of the worker, of other programs and of the tests, which the environment of a service may hold too. */
const ELSEWHERE =
  /^STANDIN_(?:JOB|JOB_.+|CONTROL_TOKEN|CONF_.+|WORK_FOLDER|PRIVATE_STREAMS|URL|API_KEY|ENV_FILE|API_PORT|TEST_.+)$/

/** Sentences about variables that look like settings and are none. */
export function unknownSettings(environment: Environment): string[] {
  const known = rowsOf(SETTINGS).map(({ variable }) => variable)
  return Object.keys(environment)
    .filter((name) => name.startsWith('STANDIN_') && !known.includes(name) && !ELSEWHERE.test(name))
    .map((name) => {
      const nearest = nearestOf(name, known)
      return `${shown(name)} is not a setting${nearest === null ? '' : `; did you mean ${nearest}?`}`
    })
}
