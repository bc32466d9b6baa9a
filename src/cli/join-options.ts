/** The options that describe a job, each once: how the command line shows it, and which field of the job it sets. */
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { jobSchema, type TranscriptionProvider } from '@standin/wire/job.ts'
import { Option } from 'commander'
import { providerOption, wholeNumber } from './option-kinds.ts'

const DAY_SECONDS = 86_400

/** How the text of an option is read. Without a kind it stays as it is. */
interface Kind<Value> {
  (option: Option): Option
  value?: Value
}
type Row = readonly [flags: string, help: string, kind?: Kind<unknown>]

const oneOf =
  <Word extends string>(words: readonly Word[]): Kind<Word> =>
  (option) =>
    option.choices(words)
const numberOf =
  (...numbers: string[]): Kind<number> =>
  (option) =>
    option.choices(numbers).argParser(Number)
const seconds: Kind<number> = (option) => wholeNumber(option, 1, DAY_SECONDS)
const provider: Kind<TranscriptionProvider> = ({ flags }) => providerOption(flags)

const FIELDS = {
  bot_name: ['--name <name>', 'what the bot is called in the meeting'],
  recording_mode: ['--mode <mode>', 'what is recorded', oneOf(RECORDING_MODES)],
  frame_rate: ['--frame-rate <fps>', 'frames a second', numberOf('25', '30')],
  not_before: ['--not-before <time>', 'when to ask to join, such as 2026-11-21T10:00:00+01:00 (default: at once)'],
  entry_message: ['--entry-message <text>', 'written into the chat on admission'],
  bot_image: ['--image <file|url>', "shown as the bot's picture: PNG, JPEG or WebP"],
  'timeout_config.waiting_room_timeout': ['--waiting-room-timeout <seconds>', 'longest wait for admission', seconds],
  'timeout_config.no_one_joined_timeout': [
    '--no-one-joined-timeout <seconds>',
    'longest time alone after joining',
    seconds,
  ],
  'timeout_config.silence_timeout': ['--silence-timeout <seconds>', 'longest time without speech', seconds],
  'timeout_config.recording_timeout': ['--recording-timeout <seconds>', 'longest recording', seconds],
  recording_consent: [
    '--recording-consent <answer>',
    'when the meeting itself is recorded',
    oneOf(['accept', 'refuse']),
  ],
  'streaming.output': ['--stream-output <ws url>', "the meeting's sound and who speaks go there"],
  'streaming.input': ['--stream-input <ws url>', 'sound from there is spoken into the meeting'],
  'streaming.audio_frequency': [
    '--stream-rate <hertz>',
    'samples a second, both ways (default: 24000)',
    numberOf('16000', '24000', '32000', '48000'),
  ],
  separate_tracks: ['--separate-tracks', "a file of each person's voice too, where the platform sends voices apart"],
  browser_state: ['--browser-state <folder|file|s3://…>', "the stored session of the bot's account; only read"],
  bot_id: ['--bot-id <uuid>', 'also the name of the recording'],
  conf_sdk_id: ['--conf-sdk-id <id>', "join through Zoom's Meeting SDK; its secret comes from STANDIN_CONF_SDK_PWD"],
  conf_obf_token_url: ['--conf-obf-token-url <url>', 'gives on-behalf-of tokens (or one in STANDIN_CONF_OBF_TOKEN)'],
  conf_access_token_url: ['--conf-access-token-url <url>', 'gives the access key (ZAK) of the user to join as'],
} as const satisfies Record<string, Row>

/** Several of them make one field. */
const OTHERS = [
  ['--account <file>', 'joins with the session in the file, and writes back what the meeting refreshed'],
  ['--out <folder>', "where the recording's folder is made (default: recordings)"],
  ['--s3 <s3://bucket/prefix>', 'store in S3 instead; credentials come from the usual AWS variables'],
  ['--s3-endpoint <url>', 'an S3-compatible server'],
  ['--s3-region <region>', ''],
  ['--transcribe', 'make a transcript after the meeting'],
  ['--teams-token-file <file>', 'a token by which the registered bot identifies itself to Microsoft Teams'],
  ['--captions', 'live transcript from the captions of the meeting'],
  ['--transcription-provider <name>', '', provider],
  ['--transcription-language <code>', 'such as en, if the speech service does not recognize it'],
  ['--control-plane <ws url>', 'reports there; its token comes from STANDIN_CONTROL_TOKEN'],
] as const satisfies Row[]

type CamelCase<Text> = Text extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Text
type NameOf<Flags> = Flags extends `--${infer Name} <${string}` | `--${infer Name}` ? CamelCase<Name> : never
type AnyRow = (typeof FIELDS)[keyof typeof FIELDS] | (typeof OTHERS)[number]
type ValueOf<One extends Row> = One extends readonly [string, string, Kind<infer Value>]
  ? Value
  : One[0] extends `${string}<${string}`
    ? string
    : boolean

export type JoinOptions = { [One in AnyRow as NameOf<One[0]>]?: ValueOf<One> } & {
  /** The two places that a whole job can come from. */
  job?: string
  jobUrl?: string
}

/** The help shows the options under these headings; all others are about the meeting. */
const GROUPS = {
  'Recording:': ['mode', 'frame-rate', 'separate-tracks', 'recording-consent'],
  'Time limits:': ['waiting-room-timeout', 'no-one-joined-timeout', 'silence-timeout', 'recording-timeout'],
  'Storage:': ['out', 's3', 's3-endpoint', 's3-region', 'bot-id'],
  'Transcript:': ['transcribe', 'captions', 'transcription-provider', 'transcription-language'],
  'Streaming:': ['stream-output', 'stream-input', 'stream-rate'],
  'Zoom:': ['conf-sdk-id', 'conf-obf-token-url', 'conf-access-token-url'],
  'Programs:': ['control-plane'],
}

/** The fields of a job that names none of them. */
const DEFAULTS = jobSchema.parse({ bot_id: '00000000-0000-4000-8000-000000000000', meeting_url: 'any' })

function defaultOf(field: string): string {
  const value = field.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], DEFAULTS)
  return ['string', 'number'].includes(typeof value) && field !== 'bot_id' ? ` (default: ${value})` : ''
}

function optionOf([flags, help, kind]: Row, field = ''): Option {
  const plain = new Option(flags, `${help}${defaultOf(field)}`)
  // The parser reads `--no-…` as a switch turned off; `--no-one-joined-timeout` is a name that only begins so.
  plain.negate = false
  const option = kind ? kind(plain) : plain
  const group = Object.entries(GROUPS).find(([, names]) => names.includes(option.name()))
  return option.helpGroup(group?.[0] ?? 'Meeting:')
}

/** Those that set one field of the job, by its path. */
export const FIELD_OPTIONS = Object.entries<Row>(FIELDS).map(([field, row]) => ({
  field,
  option: optionOf(row, field),
}))
export const JOIN_OPTIONS = [...FIELD_OPTIONS.map(({ option }) => option), ...OTHERS.map((row) => optionOf(row))]
