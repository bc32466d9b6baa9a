/** The programs that a bot starts: each is looked for where a bot looks; some are made to do a little of their work. */
import type { BotUserChoice } from '@standin/wire/process/bot-user.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { type Finding, fine, installing, unfit, warning } from '@standin/wire/text/findings.ts'
import type { Programs, Trial } from './try-program.ts'

export interface Workshop {
  programs: Programs
  /** Folders with programs, as in PATH. */
  searchPath: string
  /** A browser chosen by the environment; null for Debian's own. */
  chromium: string | null
  /** An empty private folder, removed afterwards: home and temporary folder of each program that is tried. */
  folder: string
  /** For each trial. */
  deadlineMs: number
}

/** `-isync`, which keeps sound and picture together, and `-fps_mode` came with this version. */
const OLDEST_FFMPEG = [5, 1]
/** The Chromium version that page scripts are compiled for. */
const OLDEST_CHROMIUM = 120

type Try = (command: string, args: readonly string[], until?: (output: string) => boolean) => Promise<Trial>

function trying(shop: Workshop): Try {
  const { folder, deadlineMs, programs } = shop
  const env = {
    PATH: shop.searchPath,
    HOME: folder,
    TMPDIR: folder,
    XDG_CONFIG_HOME: folder,
    XDG_RUNTIME_DIR: folder,
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    DBUS_SYSTEM_BUS_ADDRESS: 'disabled:',
    LC_ALL: 'C',
  }
  return (command, args, until) => programs.run({ command, args, env, deadlineMs, until })
}

function whatWentWrong(trial: Trial): string {
  if (trial.isLate) return 'it does not come to an end'
  const how = trial.signal ?? (trial.exitCode === null ? 'it cannot be started' : `exit code ${trial.exitCode}`)
  const words = trial.output.trim().split('\n').slice(-2).join(' ')
  return words === '' ? how : `${how}: ${words}`
}

const missing = (shop: Workshop, program: string) => `there is no ${program} in ${shop.searchPath}`

/** The parts of a bot that are programs, with Debian's package for each. */
const PROGRAMS = {
  setpriv: { names: ['setpriv'], debianPackage: 'util-linux' },
  ffmpeg: { names: ['ffmpeg', 'ffprobe'], debianPackage: 'ffmpeg' },
  PulseAudio: { names: ['pulseaudio'], debianPackage: 'pulseaudio' },
  Xvfb: { names: ['Xvfb'], debianPackage: 'xvfb' },
  Chromium: { names: ['chromium'], debianPackage: 'chromium' },
} as const
export type ProgramPart = keyof typeof PROGRAMS
/** Each comes after those that it is started with. */
export const PROGRAM_PARTS = Object.keys(PROGRAMS) as ProgramPart[]

/** How the operator gets the program, or another one in its place. */
export function cureOf(part: ProgramPart, { chromium }: Pick<Workshop, 'chromium'>): string {
  return part === 'Chromium' && chromium !== null
    ? 'Correct STANDIN_CHROMIUM, or unset it to use Debian’s.'
    : installing(PROGRAMS[part].debianPackage)
}

/** What is wrong with a part that is not there; null if its programs are. Starts nothing. */
export async function lookForProgram(
  part: ProgramPart,
  shop: Pick<Workshop, 'programs' | 'searchPath' | 'chromium'>,
): Promise<Finding | null> {
  const isNamed = part === 'Chromium' && shop.chromium !== null
  for (const name of isNamed ? [shop.chromium!] : PROGRAMS[part].names)
    if ((await shop.programs.find(name, shop.searchPath)) === null)
      return unfit(part, isNamed ? `there is no ${name}` : missing(shop as Workshop, name), cureOf(part, shop))
  return null
}

/** The version; that it opens a page as a bot does is tried by `openBrowser`, which gives null or what went wrong. */
export async function checkChromium(shop: Workshop, openBrowser: () => Promise<string | null>): Promise<Finding> {
  const part = 'Chromium'
  const cure = cureOf(part, shop)
  const program = (await shop.programs.find(shop.chromium ?? 'chromium', shop.searchPath))!
  const asked = await trying(shop)(program, ['--version'])
  const version = /\b(\d+)\.\d+\.\d+\.\d+/.exec(asked.output)
  if (version === null) return unfit(part, `${program} does not print its version: ${whatWentWrong(asked)}`, cure)
  if (Number(version[1]) < OLDEST_CHROMIUM)
    return unfit(part, `version ${version[0]}; needed: ${OLDEST_CHROMIUM} or newer`, cure)
  const problem = await openBrowser()
  return problem === null
    ? fine(part, `${version[0]}, opens a page`)
    : unfit(part, `version ${version[0]} does not open a page: ${problem}`, cure)
}

/** A bot records without the sandbox too, so this is never more than a warning. */
export async function checkSandbox(choosing: Promise<BotUserChoice>): Promise<Finding> {
  const part = 'Sandbox'
  try {
    const { user, weakness } = await choosing
    if (weakness !== null) return warning(part, weakness.fault, `${weakness.cure}.`)
    return fine(part, `Chromium runs in its own sandbox${user === null ? '' : `, and bots as ${user.name}`}`)
  } catch (error) {
    return unfit(part, messageOf(error), 'Correct STANDIN_BOT_USER.')
  }
}

export async function checkFfmpeg(shop: Workshop): Promise<Finding> {
  const part = 'ffmpeg'
  const cure = cureOf(part, shop)
  const attempt = trying(shop)
  // At once: a bot waits for the answers.
  const [result, devices, encoders] = (await Promise.all(
    ['-version', '-devices', '-encoders'].map((asked) => attempt('ffmpeg', ['-hide_banner', asked])),
  )) as [Trial, Trial, Trial]
  const version = /^ffmpeg version \D{0,2}(\d+)\.(\d+)/m.exec(result.output)
  if (result.exitCode !== 0) return unfit(part, whatWentWrong(result), cure)
  // Builds from the sources of the day carry no number; what they can do decides.
  if (version !== null && compare([Number(version[1]), Number(version[2])], OLDEST_FFMPEG) < 0)
    return unfit(part, `version ${version[1]}.${version[2]}; needed: ${OLDEST_FFMPEG.join('.')} or newer`, cure)
  const lacks = [
    ...['x11grab', 'pulse'].filter((name) => !lists(devices.output, name)),
    ...['libx264', 'aac'].filter((name) => !lists(encoders.output, name)),
  ]
  if (lacks.length > 0) return unfit(part, `built without ${lacks.join(', ')}`, cure)
  return fine(
    part,
    `${version === null ? 'development version' : `${version[1]}.${version[2]}`}, x11grab, pulse, libx264, aac`,
  )
}

/** ffmpeg's tables: flags, name, explanation. */
function lists(table: string, name: string): boolean {
  return table.split('\n').some((line) => /^\s*[A-Z.]+\s+(\S+)/.exec(line)?.[1]?.split(',').includes(name))
}

function compare(left: readonly number[], right: readonly number[]): number {
  return left.map((value, index) => value - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0
}

export async function checkSetpriv(shop: Workshop): Promise<Finding> {
  const part = 'setpriv'
  const tried = await trying(shop)('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, '--version'])
  return tried.exitCode === 0 && tried.output.trim() === process.version
    ? fine(part, 'ties children to the bot')
    : unfit(part, `cannot tie a child to the bot: ${whatWentWrong(tried)}`, cureOf(part, shop))
}

/** Scripts that names are written in, with Debian's small font package for each. */
const SCRIPTS: readonly [script: string, pattern: string, debianPackage: string][] = [
  ['Latin, Cyrillic, Greek', ':lang=en:lang=ru:lang=el', 'fonts-liberation'],
  ['Arabic, Hebrew', ':lang=ar:lang=he', 'fonts-dejavu-core'],
  ['Devanagari, Thai', ':lang=hi:lang=th', 'fonts-freefont-ttf'],
  ['Chinese, Japanese, Korean', ':charset=4e2d 3042 ac00', 'fonts-droid-fallback'],
  ['emoji', ':charset=1f600', 'fonts-noto-color-emoji'],
]

export async function checkFonts(shop: Workshop): Promise<Finding> {
  const part = 'Fonts'
  if ((await shop.programs.find('fc-list', shop.searchPath)) === null)
    return warning(part, missing(shop, 'fc-list'), installing('fontconfig', ...SCRIPTS.map(([, , font]) => font)))
  const attempt = trying(shop)
  const lacks: [script: string, font: string][] = []
  for (const [script, pattern, font] of SCRIPTS) {
    const listed = await attempt('fc-list', [pattern, 'family'])
    if (listed.exitCode !== 0 || listed.output.trim() === '') lacks.push([script, font])
  }
  if (lacks.length === 0) return fine(part, `for ${SCRIPTS.map(([script]) => script).join(', ')}`)
  const scripts = lacks.map(([script]) => script).join(', ')
  return warning(
    part,
    `names in these scripts would show as boxes: ${scripts}`,
    installing(...lacks.map(([, font]) => font)),
  )
}
