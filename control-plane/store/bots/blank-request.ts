/** What a caller wrote into the request of a bot, after its data was deleted. */
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/** Of the request; none of them has a text of the caller. Accounting and the answers of the API read them. */
const KEPT_FIELDS = [
  'timeout_config',
  'frame_rate',
  'separate_tracks',
  'account',
  'allow_multiple_bots',
  'sealed',
  'transcription',
]
/** A shorter word is in many other requests. */
const MIN_WORD = 4
/** Of a word, since a long entry of the request log is cut. */
const COMPARED = 40

/**
 * Blanks the passcode of the link, `extra`, the entry message, addresses and all other texts of the caller, in the bot's row,
 * its endpoints, and the entries of the request log that repeat one of them.
 */
export async function blankRequest(tx: Tx, botId: string): Promise<void> {
  const columns = ['team_id', 'meeting_url', 'extra', 'request', 'deduplication_key'] as const
  const bot = await tx.selectFrom('bots').select(columns).where('id', '=', botId).executeTakeFirstOrThrow()
  await sql`
    update bots set extra = null, deduplication_key = null, meeting_url = regexp_replace(meeting_url, '[?#].*$', ''),
      request = (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(request #- '{transcription,custom_params}')
        where key = any (${KEPT_FIELDS}::text[]))
    where id = ${botId}`.execute(tx)
  await sql`
    update endpoints set url = 'https://deleted.invalid', secret = null, previous_secret = null,
      disabled_at = coalesce(disabled_at, now()), disabled_reason = 'The data of its bot was deleted'
    where bot_id = ${botId}`.execute(tx)
  await sql`update retranscriptions set webhook_url = null where bot_id = ${botId}`.execute(tx)
  const passcodes = [...(URL.parse(bot.meeting_url)?.searchParams.values() ?? [])]
  const words = textsIn([passcodes, bot.extra, bot.request, bot.deduplication_key]).flatMap(spellings)
  await sql`
    update request_log set path = split_part(path, '?', 1), error_body = null
    where team_id = ${bot.team_id} and (path like '%?%' or error_body is not null) and exists (
      select from unnest(${words}::text[]) word
      where strpos(lower(path), word) > 0 or strpos(lower(error_body), word) > 0)`.execute(tx)
}

/** All texts of JSON, of any depth. */
function textsIn(value: unknown): string[] {
  const open = [value]
  const texts: string[] = []
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') texts.push(next)
    else if (typeof next === 'object' && next !== null)
      open.push(...Object.values(next).filter((inner) => inner !== undefined))
  }
  return texts.filter((text) => text.length >= MIN_WORD)
}

/** As a text stands in an address or in JSON, in lower case. */
function spellings(text: string): string[] {
  const encoded = encodeURIComponent(text.toWellFormed())
  const all = [text, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(text).slice(1, -1)]
  return [...new Set(all.map((one) => one.toLowerCase().slice(0, COMPARED)))]
}
