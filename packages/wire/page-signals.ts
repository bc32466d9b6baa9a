/**
 * The signals by which a bot reads a meeting's page: by platform, by the question that they answer, and whether a real
 * page was seen to have them. docs/platforms.md explains each question.
 */
const PROVEN = true
const UNPROVEN = false

export const PAGE_SIGNALS = {
  meet: {
    name_box: { mark: UNPROVEN, label: PROVEN, only_box: PROVEN },
    in_call: { tile: PROVEN, captions: PROVEN, people: PROVEN, roster: PROVEN, sound: PROVEN },
    people_button: { panel: UNPROVEN, badge: PROVEN, label: PROVEN, icon: PROVEN },
    own_tile: { attribute: UNPROVEN, button: PROVEN, row: PROVEN },
    raised_hand: { notice: UNPROVEN, tile: PROVEN },
    reaction: { notice: UNPROVEN, other_notice: PROVEN },
    out: { mark: UNPROVEN, button: PROVEN, words: PROVEN, page: PROVEN, roster: PROVEN, no_sound: PROVEN },
    rooms: { words: UNPROVEN, people_left: PROVEN },
    voice: { elsewhere: UNPROVEN, receivers: PROVEN },
  },
  teams: {
    lobby: { screen: UNPROVEN, words: PROVEN, held_button: PROVEN },
    in_call: { toolbar: PROVEN, tiles: PROVEN, duration: PROVEN, roster: PROVEN, sound: PROVEN },
    people_count: { badge: UNPROVEN, roster: PROVEN },
    tile_owner: { avatar: UNPROVEN, name: PROVEN },
    chat_box: { mark: UNPROVEN, text_box: PROVEN },
    chat_send: { mark: UNPROVEN, label: PROVEN },
    own_message: { mark: UNPROVEN, channel: PROVEN },
    out: { screen: UNPROVEN, words: PROVEN, signalling: PROVEN, no_toolbar: PROVEN, no_sound: PROVEN },
    rooms: { words: UNPROVEN, people_left: PROVEN },
  },
  zoom: {
    email_box: { mark: UNPROVEN, label: PROVEN },
    cookies: { banner: UNPROVEN, label: PROVEN },
    terms: { mark: UNPROVEN, label: PROVEN },
    disclaimer: { mark: UNPROVEN, label: PROVEN },
    joining: { layer: UNPROVEN, words: PROVEN },
    waiting: { room: UNPROVEN, words: PROVEN },
    in_call: { footer: PROVEN, speaker: PROVEN, gallery: PROVEN, single: PROVEN, sound: PROVEN },
    recording: { dialog: UNPROVEN, words: PROVEN },
    message_sender: { header: UNPROVEN, spoken: PROVEN },
    own_message: { text: UNPROVEN, box: PROVEN, sender: PROVEN },
    out: { dialog: UNPROVEN, words: PROVEN, page: PROVEN, no_sound: PROVEN },
  },
  jitsi: {
    in_call: { state: PROVEN, tile: PROVEN, sound: PROVEN },
    out: { dialog: PROVEN, notice: PROVEN, page: PROVEN, state: PROVEN, no_sound: PROVEN },
  },
} as const

type Signals = typeof PAGE_SIGNALS
export type SignalPlatform = keyof Signals
export const SIGNAL_PLATFORMS = Object.keys(PAGE_SIGNALS) as SignalPlatform[]

/** `<question>.<signal>`, such as `in_call.tile`. */
export type SignalOf<Platform extends SignalPlatform> = Platform extends SignalPlatform
  ? {
      [Question in keyof Signals[Platform] & string]: `${Question}.${keyof Signals[Platform][Question] & string}`
    }[keyof Signals[Platform] & string]
  : never

/** Counts the polls in which only unproven signals answered a question. */
const ONLY_UNPROVEN = 'only_unproven'

/** Every name that is counted for a platform. */
export function countedSignals(platform: SignalPlatform): string[] {
  return Object.entries(PAGE_SIGNALS[platform]).flatMap(([question, signals]) =>
    [...Object.keys(signals), ...(Object.values(signals).includes(UNPROVEN) ? [ONLY_UNPROVEN] : [])].map(
      (signal) => `${question}.${signal}`,
    ),
  )
}

/** The names to count for one poll of the page in which these signals answered. Unknown names are left out. */
export function countedIn(platform: SignalPlatform, answered: ReadonlySet<string>): string[] {
  return Object.entries<Readonly<Record<string, boolean>>>(PAGE_SIGNALS[platform]).flatMap(([question, signals]) => {
    const found = Object.keys(signals).filter((signal) => answered.has(`${question}.${signal}`))
    const isDoubtful = found.length > 0 && found.every((signal) => signals[signal] === UNPROVEN)
    return [...found, ...(isDoubtful ? [ONLY_UNPROVEN] : [])].map((signal) => `${question}.${signal}`)
  })
}
