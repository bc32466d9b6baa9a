/**
 * Chooses who is in the picture: the featured speaker, the people of the gallery, the shared screen. Pure; the memory
 * from one choice to the next is a value that goes in and comes out.
 */

/** Speech after which a person becomes the featured speaker, while the present one is silent. Milliseconds. */
const TAKE_OVER_MS = 800
/**
 * Speech after which a person replaces a featured speaker who is still speaking, so that a noisy microphone cannot stay
 * featured. Milliseconds.
 */
const OVERLAP_MS = 2500
export const GALLERY_LIMIT = 25
/** People beside a shared screen in the gallery. */
export const BESIDE_SCREEN_LIMIT = 12

export interface Candidate {
  id: string
  isScreen: boolean
  isSpeaking: boolean
  hasCamera: boolean
}

export interface ViewMemory {
  speakerId: string | null
  previousSpeakerId: string | null
  /** When the present speaker was featured. */
  featuredSince: number
  /** A speaker was featured because of speech. */
  hasSpoken: boolean
  /** Begin of the speech of people who speak now. */
  speechSince: ReadonlyMap<string, number>
  lastSpokeAt: ReadonlyMap<string, number>
  /** People of the gallery in the order of their places. */
  gallery: readonly string[]
  /** Shared screens, oldest first. */
  screens: readonly string[]
}

export const EMPTY_MEMORY: ViewMemory = {
  speakerId: null,
  previousSpeakerId: null,
  featuredSince: Number.NEGATIVE_INFINITY,
  hasSpoken: false,
  speechSince: new Map(),
  lastSpokeAt: new Map(),
  gallery: [],
  screens: [],
}

export interface ViewChoice {
  memory: ViewMemory
  /** The newest shared screen. */
  screenId: string | null
  speakerId: string | null
  /** People who may be featured next: those who speak now, and the one before. */
  standby: readonly string[]
  gallery: readonly string[]
  /** People without a place in the gallery. */
  hiddenCount: number
  /** When the choice has to be made again although no tile changed; null when never. */
  recheckAt: number | null
}

/** `now` is any clock in milliseconds, the same in every call. Tiles are in the order in which people joined. */
export function chooseView(before: ViewMemory, tiles: readonly Candidate[], now: number): ViewChoice {
  const people = tiles.filter((tile) => !tile.isScreen)
  const shared = tiles.filter((tile) => tile.isScreen).map((tile) => tile.id)
  const screens = [...before.screens.filter((id) => shared.includes(id))]
  screens.push(...shared.filter((id) => !screens.includes(id)))

  const speechSince = new Map<string, number>()
  const lastSpokeAt = new Map<string, number>()
  for (const { id, isSpeaking } of people) {
    if (isSpeaking) speechSince.set(id, before.speechSince.get(id) ?? now)
    const spokeAt = isSpeaking ? now : before.lastSpokeAt.get(id)
    if (spokeAt !== undefined) lastSpokeAt.set(id, spokeAt)
  }
  const known = { ...before, speechSince, lastSpokeAt, screens }
  const featured = chooseSpeaker(known, people, now)
  const previousSpeakerId = featured.speakerId === before.speakerId ? before.previousSpeakerId : before.speakerId
  const limit = screens.length > 0 ? BESIDE_SCREEN_LIMIT : GALLERY_LIMIT
  const gallery = chooseGallery(known, people, limit, now)

  return {
    memory: { ...known, ...featured, previousSpeakerId, gallery },
    standby: people
      .filter(({ id, isSpeaking }) => id !== featured.speakerId && (isSpeaking || id === previousSpeakerId))
      .map(({ id }) => id),
    screenId: screens.at(-1) ?? null,
    speakerId: featured.speakerId,
    gallery,
    hiddenCount: people.length - gallery.length,
    recheckAt: nextCheck(known, featured.speakerId, now),
  }
}

type FeaturedSpeaker = Pick<ViewMemory, 'speakerId' | 'featuredSince' | 'hasSpoken'>

function chooseSpeaker(memory: ViewMemory, people: readonly Candidate[], now: number): FeaturedSpeaker {
  const current = people.find(({ id }) => id === memory.speakerId)
  const challenger = challengerOf(memory, current, now)
  if (challenger !== null) return { speakerId: challenger, featuredSince: now, hasSpoken: true }
  if (current && memory.hasSpoken)
    return { speakerId: current.id, featuredSince: memory.featuredSince, hasSpoken: true }
  if (memory.hasSpoken) {
    // The speaker left: the one who speaks now, or spoke last, takes the place without waiting.
    const heir = oldest(memory.speechSince) ?? newest(memory.lastSpokeAt)
    if (heir !== null) return { speakerId: heir, featuredSince: now, hasSpoken: true }
  }
  const first = people.find(({ hasCamera }) => hasCamera) ?? people[0]
  const speakerId = first?.id ?? null
  return { speakerId, featuredSince: speakerId === memory.speakerId ? memory.featuredSince : now, hasSpoken: false }
}

function challengerOf(memory: ViewMemory, current: Candidate | undefined, now: number): string | null {
  const others = [...memory.speechSince].filter(([id, since]) => id !== current?.id && now - since >= TAKE_OVER_MS)
  if (current?.isSpeaking) {
    if (!memory.hasSpoken && hasSpokenFor(memory, current.id, now) >= TAKE_OVER_MS) return current.id
    // Only speech that began after the speaker was featured counts, or two who never stop would swap for ever.
    return newest(new Map(others.filter(([, since]) => since > memory.featuredSince && now - since >= OVERLAP_MS)))
  }
  return oldest(new Map(others))
}

function hasSpokenFor(memory: ViewMemory, id: string, now: number): number {
  return now - (memory.speechSince.get(id) ?? now)
}

/** People keep their places; a speaker without one takes the place of the person who was silent longest. */
function chooseGallery(memory: ViewMemory, people: readonly Candidate[], limit: number, now: number): string[] {
  if (people.length <= limit) return people.map(({ id }) => id)
  // One place is needed to show how many more people there are.
  const places = limit - 1
  const present = new Set(people.map(({ id }) => id))
  const order = people.map(({ id }) => id)
  const silentLongestFirst = (one: string, other: string) =>
    (memory.lastSpokeAt.get(one) ?? 0) - (memory.lastSpokeAt.get(other) ?? 0) ||
    order.indexOf(other) - order.indexOf(one)

  let gallery = memory.gallery.filter((id) => present.has(id))
  if (gallery.length > places) {
    const leaving = new Set([...gallery].sort(silentLongestFirst).slice(0, gallery.length - places))
    gallery = gallery.filter((id) => !leaving.has(id))
  }
  const waiting = order.filter((id) => !gallery.includes(id)).sort((one, other) => silentLongestFirst(other, one))
  gallery.push(...waiting.splice(0, places - gallery.length))

  for (const [id, since] of memory.speechSince) {
    if (gallery.includes(id) || now - since < TAKE_OVER_MS) continue
    const quietest = gallery.filter((shown) => !memory.speechSince.has(shown)).sort(silentLongestFirst)[0]
    if (quietest !== undefined) gallery[gallery.indexOf(quietest)] = id
  }
  return gallery
}

/** Times at which continued speech may change the choice. */
function nextCheck(memory: ViewMemory, speakerId: string | null, now: number): number | null {
  const times = [...memory.speechSince]
    .flatMap(([id, since]) => (id === speakerId ? [since + TAKE_OVER_MS] : [since + TAKE_OVER_MS, since + OVERLAP_MS]))
    .filter((time) => time > now)
  return times.length > 0 ? Math.min(...times) : null
}

function oldest(times: ReadonlyMap<string, number>): string | null {
  return [...times].sort(([, one], [, other]) => one - other)[0]?.[0] ?? null
}

function newest(times: ReadonlyMap<string, number>): string | null {
  return [...times].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null
}
