/** Settings of the containers that the launchers for Docker and Kubernetes start. */
import { isAbsolute, resolve } from 'node:path'
import { type Given, oneOf, shown, wholeNumber } from './values.ts'

export interface BotContainerConfig {
  /** `host`: that of the engine's machine or the node. Null: the engine's own bridge, or the cluster's network. */
  network: string | null
  /** The folder of recordings as the engine names it: a path of its machine, or a volume. Null: the same path. */
  recordings: string | null
  /** `always` exists only for Kubernetes. */
  pull: 'never' | 'missing' | 'always'
  /** MiB. */
  memory: number
  cores: number
  /** A file. Null: the engine's own profile. */
  seccompProfile: string | null
}

export function botContainerOf(
  ofVariable: (name: string) => Given | null,
  folder: string,
  launcher: string,
): BotContainerConfig {
  const isKubernetes = launcher === 'kubernetes'
  const network = ofVariable('STANDIN_BOT_NETWORK')
  return {
    network: isKubernetes ? oneOf(network, ['host']) : nameOf(network, 'network'),
    recordings: recordingsOf(ofVariable('STANDIN_BOT_RECORDINGS')),
    pull: isKubernetes
      ? (oneOf(ofVariable('STANDIN_BOT_PULL'), ['never', 'missing', 'always']) ?? 'missing')
      : (oneOf(ofVariable('STANDIN_BOT_PULL'), ['never', 'missing']) ?? 'never'),
    memory: wholeNumber(ofVariable('STANDIN_BOT_MEMORY'), 256, 1_048_576) ?? 2048,
    cores: wholeNumber(ofVariable('STANDIN_BOT_CPUS'), 1, 256) ?? 2,
    seccompProfile: pathOf(ofVariable('STANDIN_BOT_SECCOMP'), folder),
  }
}

const DOCKER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/

function nameOf(given: Given | null, what: string): string | null {
  if (given === null || DOCKER_NAME.test(given.text)) return given?.text ?? null
  given.report(
    given.place,
    `"${shown(given.text)}" is not the name of a ${what} of Docker`,
    'Write letters, digits, underscores, points and hyphens',
  )
  return null
}

function recordingsOf(given: Given | null): string | null {
  if (given === null || isAbsolute(given.text)) return given?.text ?? null
  return nameOf(given, 'volume')
}

function pathOf(given: Given | null, folder: string): string | null {
  return given === null ? null : resolve(folder, given.text)
}

/** Whether containers can reach the control link: a loopback address means the container itself there. */
export function isReachable({ linkUrl, botContainer }: { linkUrl: string | null; botContainer: BotContainerConfig }) {
  if (botContainer.network === 'host') return true
  const hostname = linkUrl === null ? 'localhost' : new URL(linkUrl).hostname
  return !/^(?:localhost|127\..*|\[::1\]|0\.0\.0\.0|\[::\])$/.test(hostname)
}
