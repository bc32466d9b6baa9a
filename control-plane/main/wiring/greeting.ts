/** The text for the operator when the service is ready. */
import { sentenceOf, type Weakness } from '@standin/wire/process/bot-user.ts'
import type { ServiceConfig } from '../config/config.ts'
import { apiKeyFile } from './data-folder.ts'
import { DEMO_LINK } from './demo.ts'
import { servesDemo } from './launcher.ts'

export interface Greeted {
  publicUrl: string
  /** Made by this start; shown this one time. */
  firstKey: string | null
  signInLink: string | null
  weakness: Weakness | null
  /** Whether bots can make transcripts by `Default`. */
  transcribes: boolean
}

export function greeting(
  { publicUrl, firstKey, signInLink, weakness, transcribes }: Greeted,
  config: ServiceConfig,
): string[] {
  if (!config.roles.has('api')) return []
  const keyFile = apiKeyFile(config.dataFolder)
  // Without a recognizer the words are those of the meeting's captions.
  const words = `"transcription_enabled": true${transcribes ? '' : ', "transcription_config": {"provider": "captions"}'}`
  const link = servesDemo(config) ? DEMO_LINK : 'https://meet.google.com/abc-defg-hij'
  return [
    `Standin is ready: ${publicUrl}`,
    ...(firstKey === null
      ? [`API key:  see ${keyFile}, or make one: standin service keys create`]
      : [`API key:  ${firstKey}`, `          It is shown this once and kept in ${keyFile}`]),
    `API:      ${publicUrl}/docs`,
    `Help:     ${publicUrl}/help`,
    ...(signInLink === null
      ? []
      : [
          `Dashboard: ${signInLink}`,
          '          Works once, for 15 minutes; for another one: standin service people link',
        ]),
    ...(weakness === null ? [] : [`Warning:  ${sentenceOf(weakness)}`]),
    '',
    link === DEMO_LINK
      ? 'Send a bot into the built-in mock meeting; about a minute later there is a recording:'
      : 'Send a bot into your meeting:',
    '',
    `  curl ${publicUrl}/v2/bots -H "x-service-api-key: $(cat ${shellWord(keyFile)})" \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"meeting_url": "${link}", "bot_name": "Standin", ${words}}'`,
    '',
  ]
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
