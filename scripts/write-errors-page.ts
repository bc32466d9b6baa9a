/** Writes `docs/errors.md`: every code with which a bot ends, from the tables that the program itself uses. */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { END_CAUSES, ERROR_CODES, NORMAL_END_CODES, type NormalEndCode } from '@standin/wire/codes.ts'
import { CAUSE_TABLE, ERROR_TABLE, type Who } from '@standin/wire/error-help.ts'

export const ERRORS_PAGE = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs', 'errors.md')

const NORMAL_ENDS: Readonly<Record<NormalEndCode, string>> = {
  BOT_REMOVED: 'A participant removed the bot from the meeting, or the host ended the meeting.',
  NO_ATTENDEES:
    'All participants left, no participant came within `noone_joined_timeout`, or only other bots were there for `only_bots_timeout`.',
  NO_SPEAKER: 'There was no speech for `silence_timeout` seconds.',
  RECORDING_TIMEOUT: 'The recording reached its longest permitted time.',
  API_REQUEST: 'The caller told the bot to leave.',
}

const LABELS: Readonly<Record<Who, string>> = {
  caller: 'caller',
  host: 'host of the meeting',
  platform: 'meeting platform',
  operator: 'operator',
}

/** The whole page. */
export function errorsPage(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
    [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
  return `# How a bot ends

\`scripts/write-errors-page.ts\` makes this page from the program's own tables.

A bot ends as \`completed\` or \`failed\`. The code is \`error_code\` of a failed bot, \`end_code\` in the final report of a
completed one, and part of the last webhook. A sentence (\`error_message\`) says what the bot saw; the
[timeline](api.md) of the bot says what happened before, and shows the last log lines of a bot that ended without a report.
The columns below are \`error_help\` of a failed bot in the API and in the webhook \`bot.failed\`: \`{cause, who, cure, link}\`.

## Completed

${table(
  ['code', 'what happened'],
  NORMAL_END_CODES.map((code) => [`\`${code}\``, NORMAL_ENDS[code]]),
)}

## Failed

${table(
  ['code', 'who can change it', 'what helps'],
  ERROR_CODES.map((code) => [`\`${code}\``, LABELS[ERROR_TABLE[code].who], ERROR_TABLE[code].cure]),
)}

## Causes

Some failures say more than their code: \`error_help\` of a failed bot then has a \`cause\`, and the cure of the cause.

${table(
  ['cause', 'what happened', 'who can change it', 'what helps'],
  END_CAUSES.map((cause) => {
    const { what, who, cure } = CAUSE_TABLE[cause]
    return [`\`${cause}\``, what, LABELS[who], cure]
  }),
)}

[control-link.md](control-link.md) has the exit codes of a bot's process, [api.md](api.md) the errors of HTTP requests.
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(ERRORS_PAGE, errorsPage())
