/** Who of those present is another bot, and whether only such are left. Pure. */
import { BOT_NAMES } from '@standin/wire/bot-names.ts'
import type { MeetingEvent } from '../../packages/core/meeting/meeting.ts'

interface Seen {
  name: string
  /** The platform itself says so. */
  isMarked: boolean
  /** Has spoken, shown a screen, reacted or raised a hand: a person, even with a bot's name. */
  hasActed: boolean
  /** Has written or shown a camera. Notetakers greet and show a logo, so this makes a person only of an unclear name. */
  hasAppeared: boolean
}

/** Those present, by the platform's id. Never changed; each event makes a new one where it says something. */
export type People = ReadonlyMap<string, Seen>

export type IsBotName = (name: string) => boolean

/** Words of bots that people use in their names too. */
const UNCLEAR = new Set(['bot', 'бот', 'notes', 'recorder', 'transcriber', 'copilot'])

/** Words behind the name of a product that people do not have behind theirs: `Otter.ai`, `Gong Assistant`. */
const ADDITIONS = 'ai|io|app|assistant|agent|pilot|companion|coach|meetings?|recordings?|transcripts?|summary'
const PRODUCTS = BOT_NAMES.products.join('|')
const CALLED_SO = new RegExp(
  `^(?:${PRODUCTS})$|(?:^|[^\\p{L}@])(?:${PRODUCTS}|${BOT_NAMES.alsoNames.join('|')})(?:[\\s.(]+(?:${ADDITIONS})(?![\\p{L}-])|(?<=\\p{L}['’]s?\\s+\\S+)$)`,
  'u',
)

/**
 * A name that is an address on the web, such as `Verbit.ai`, that has `AI` behind it, or `Bot` within a word; `Ai` is a name
 * of people.
 */
const OF_A_SERVICE = /^[\p{L}\p{N}-]{3,}\.(?:ai|io|app|com|video|so|tech)$|\p{Ll} AI$|\p{Ll}Bot(?!\p{Ll})/u
/** Scripts without blanks, in which a word may stand anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u
/** Where such a script meets another. */
const BORDER =
  /(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])(?=\p{sc=Latn})|(?<=\p{sc=Latn})(?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])/gu

/**
 * A name is a bot's where it holds one of these as whole words, in any case, or where it is that of a product. A product
 * behind a given name is a family name.
 */
export function botNamesOf(patterns: readonly string[]): IsBotName {
  const words = patterns
    .map(wordsOf)
    .filter((pattern) => pattern !== '')
    .map((pattern) => (UNSPACED.test(pattern) ? pattern : ` ${pattern} `))
  return (name) =>
    words.some((pattern) => ` ${wordsOf(name)} `.includes(pattern)) ||
    OF_A_SERVICE.test(name.trim()) ||
    CALLED_SO.test(name.trim().toLowerCase().normalize('NFKC'))
}

/** True if all other participants are known to be bots. `others` is their number, as the page says. */
export function areOnlyBots(people: People, others: number, isBotName: IsBotName): boolean {
  // A participant who is counted but not yet named may be a person.
  if (others === 0 || people.size < others) return false
  return !isPersonThere(people, isBotName)
}

/** A participant has a name that is no bot's, or has acted as a person does. */
export function isPersonThere(people: People, isBotName: IsBotName): boolean {
  return [...people.values()].some(({ name, isMarked, hasActed, hasAppeared }) => {
    if (hasActed) return true
    if (isMarked) return false
    return hasAppeared ? !isBotName(withoutUnclear(name)) : !isBotName(name)
  })
}

function withoutUnclear(name: string): string {
  return name.replace(/[\p{L}\p{N}]+/gu, (word) => (UNCLEAR.has(word.toLowerCase()) ? '' : word))
}

/** People after this event. */
export function peopleAfter(people: People, event: MeetingEvent): People {
  switch (event.type) {
    case 'participant_joined':
    case 'participant_changed': {
      const { id, name, isBot } = event.participant
      const before = people.get(id)
      return new Map(people).set(id, {
        name,
        isMarked: isBot ?? before?.isMarked ?? false,
        hasActed: before?.hasActed ?? false,
        hasAppeared: before?.hasAppeared ?? false,
      })
    }
    case 'participant_left': {
      if (!people.has(event.participantId)) return people
      const rest = new Map(people)
      rest.delete(event.participantId)
      return rest
    }
    case 'speaking':
      return event.isSpeaking ? marked(people, event.participantId, 'hasActed') : people
    case 'chat_message':
      return marked(people, event.message.senderId, 'hasAppeared')
    case 'camera':
      return marked(people, event.participantId, 'hasAppeared')
    case 'reaction':
    case 'hand_raised':
    case 'screen_share':
      return marked(people, event.participantId, 'hasActed')
    default:
      return people
  }
}

function marked(people: People, id: string | null, sign: 'hasActed' | 'hasAppeared'): People {
  const person = id === null ? undefined : people.get(id)
  if (!person || person[sign]) return people
  return new Map(people).set(id!, { ...person, [sign]: true })
}

/** Letters and digits, apart by single spaces: `Fireflies.ai Notetaker` is `fireflies ai notetaker`. */
function wordsOf(text: string): string {
  return (
    text
      .toLowerCase()
      .normalize('NFKC')
      // The Turkish capital i.
      .replace(/i\u0307/g, 'i')
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
      .replace(BORDER, ' ')
      .trim()
  )
}
