/** The text for the operator when the service is ready. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { sentenceOf, type Weakness } from '@standin/wire/process/bot-user.ts'
import { fromOutside } from '@standin/wire/process/container.ts'
import type { ServiceConfig } from '../config/config.ts'
import { apiKeyFile } from './data-folder.ts'
import { DEMO_LINK } from './demo.ts'
import { installedFile } from './installed-file.ts'
import { type Environment, servesDemo } from './launcher.ts'

export interface Greeted {
  publicUrl: string
  /** Made by this start; shown this one time. */
  firstKey: string | null
  signInLink: string | null
  weakness: Weakness | null
  /** Whether bots can make transcripts by `Default`. */
  transcribes: boolean
  /** Of this process. */
  environment: Environment
}

export function greeting(
  { publicUrl, firstKey, signInLink, weakness, transcribes, environment }: Greeted,
  config: ServiceConfig,
): string[] {
  if (!config.roles.has('api')) return []
  const keyFile = apiKeyFile(config.dataFolder)
  const standin = commandFor(environment)
  // Without a recognizer the words are those of the meeting's captions.
  const words = `"transcription_enabled": true${transcribes ? '' : ', "transcription_config": {"provider": "captions"}'}`
  const link = servesDemo(config) ? DEMO_LINK : 'https://meet.google.com/abc-defg-hij'
  return [
    `Standin is ready: ${publicUrl}`,
    ...(firstKey === null
      ? [`API key:  see ${keyFile}, or make one: ${standin} service keys create`]
      : [`API key:  ${firstKey}`, `          It is shown this once and kept in ${keyFile}`]),
    `API:      ${publicUrl}/docs`,
    `Help:     ${publicUrl}/help`,
    ...(signInLink === null
      ? []
      : [
          `Dashboard: ${signInLink}`,
          `          Works once, for 15 minutes; for another one: ${standin} service people link`,
        ]),
    ...(weakness === null ? [] : [`Warning:  ${sentenceOf(weakness)}`]),
    '',
    link === DEMO_LINK
      ? 'Send a bot into the built-in mock meeting; about a minute later there is a recording:'
      : 'Send a bot into your meeting:',
    '',
    `  curl ${publicUrl}/v2/bots -H "x-service-api-key: $(${fromOutside(`cat ${shellWord(keyFile)}`, environment)})" \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"meeting_url": "${link}", "bot_name": "Standin", ${words}}'`,
    '',
  ]
}

/** `standin` as a person can paste it. What npm adds to the path of its scripts is not in that of their shell. */
export function commandFor(environment: Environment): string {
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const isFound = folders.some((folder) => existsSync(join(folder, 'standin')))
  return isFound ? fromOutside('standin', environment) : shellWord(installedFile('bin', 'standin'))
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
