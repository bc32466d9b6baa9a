/** Writes `docs/errors.md` and `docs/for-hosts.md`: every code and reason of an end, from the tables of the program itself. */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { END_CAUSES, ERROR_CODES, NORMAL_END_CODES, type NormalEndCode } from '@standin/wire/codes.ts'
import { CAUSE_TABLE, ERROR_TABLE, type Who } from '@standin/wire/error-help.ts'
import { PLATFORM_TITLES } from '@standin/wire/platforms.ts'
import { REASON_TABLE, REASONS, type Reason } from '@standin/wire/reasons.ts'

const DOCS = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs')
export const ERRORS_PAGE = join(DOCS, 'errors.md')
export const HOSTS_PAGE = join(DOCS, 'for-hosts.md')

const NORMAL_ENDS: Readonly<Record<NormalEndCode, string>> = {
  BOT_REMOVED:
    'A participant removed the bot from the meeting, or the host ended the meeting: one name for both, as other services have it.',
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

/** The page of one reason, which a caller may send to the host of a meeting. */
export function reasonPage(reason: Reason): string {
  const { title, host, developer, setting, codes, platforms } = REASON_TABLE[reason]
  return `# ${title}

${host}

**What changes it:** ${setting}

**For developers:** ${developer} The reason is \`${reason}\`, with ${codes.map((code) => `\`${code}\``).join(', ')}, on ${platforms.map((name) => PLATFORM_TITLES[name]).join(', ')}.

[All reasons](../for-hosts.md) · [all end codes](../errors.md)
`
}

/** The page about all reasons. */
export function hostsPage(): string {
  const rows = REASONS.map((reason) => {
    const { host, setting } = REASON_TABLE[reason]
    return `### ${REASON_TABLE[reason].title}\n\n\`${reason}\`: ${host} ${setting}`
  })
  return `# The bot was not let in

\`scripts/write-errors-page.ts\` makes this page from the program's own table (\`packages/wire/reasons.ts\`).

This page is for hosts of meetings, and for developers who have to tell a host what to change. A bot that a meeting did not
let in has a \`reason\` in the API and in its last webhook, with the sentences below as \`reason_help\`; its \`link\` is a
public page about that reason. \`evidence\` lists what the bot saw, and when.

A bot says only what it saw. An answer within two seconds of its request cannot be a person's, so the platform gave it. If
neither the page nor the time tells, the reason is \`unknown\`. A bot never gets around a wall: it solves no captcha, it
hides nothing, and after two denials it does not ask again.

## Reasons

${rows.join('\n\n')}

## How long a bot waits

A bot waits for \`waiting_room_timeout\`, 600 seconds if nothing else is asked. Google Meet ends the wait of a guest after about
10 minutes and Microsoft Teams after 30; if the limit of the bot is longer, its timeline says so.
`
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
A bot that a meeting did not let in has a finer \`reason\` too ([for-hosts.md](for-hosts.md)).
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(ERRORS_PAGE, errorsPage())
  writeFileSync(HOSTS_PAGE, hostsPage())
}
