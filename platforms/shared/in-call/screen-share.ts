/**
 * Has the meeting's page share the bot's screen: presses its button, and follows whether the page takes what it then gets of the
 * browser. The page's own behavior is the proof; words only explain why nothing was taken.
 */
import type { CommonSnapshot } from '../page/types.ts'
import type { MeetingPage } from '../page-access/meeting-page.ts'
import { matches } from '../words.ts'
import { saidIn } from './announced-rooms.ts'

export interface SharingWords {
  /** The host permits the bot no screen. */
  forbidden?: readonly RegExp[]
  /** Another person shares a screen, and would be interrupted. */
  taken?: readonly RegExp[]
}

export interface ScreenShareParts {
  page: MeetingPage
  /** False after the page was loaded anew, until the bot is back. */
  isInCall(): boolean
  words: SharingWords
}

const LOOK_MS = 200
/** Limits of waiting: for the meeting, for its button, and for the page to take the screen. */
const RETURN_MS = 60_000
const BUTTON_MS = 5000
const TAKE_MS = 10_000
const AGAIN_MS = 2000

/** Rejects with a sentence if the meeting does not take the screen. Nothing is pressed if it has it already. */
export async function shareScreen(
  { page, isInCall, words: { forbidden = [], taken = [] } }: ScreenShareParts,
  signal: AbortSignal,
): Promise<void> {
  if (await page.ask('sharesScreen')) return
  const wait = waiting(page, signal)
  if (!(await wait(RETURN_MS, async () => isInCall()))) throw new Error('The bot is not in the meeting.')
  const button = await wait(BUTTON_MS, async (looks) => {
    // Toolbars that hide may leave the page.
    if (looks % 5 === 0) await page.wakePointer()
    return stateOf(page)
  })
  if (button === null) throw new Error('The meeting has no button to share a screen; its host may not permit it.')
  if (button === 'disabled') throw new Error(FORBIDDEN)
  const before = new Set(page.lastSnapshot ? textsOf(page.lastSnapshot) : [])
  const pressedAt = { share: Number.NEGATIVE_INFINITY, shareChoice: Number.NEGATIVE_INFINITY }
  const mayPress = (name: keyof typeof pressedAt) => page.clock.now() - pressedAt[name] >= AGAIN_MS
  try {
    await page.ask('offerScreen', true)
    const isTaken = await wait(TAKE_MS, async () => {
      if (await page.ask('sharesScreen')) return true
      const news = page.lastSnapshot ? textsOf(page.lastSnapshot).filter((text) => !before.has(text)) : []
      if (news.some((text) => matches(forbidden, text))) throw new Error(FORBIDDEN)
      if (news.some((text) => matches(taken, text))) throw new Error(TAKEN)
      // Some pages ask first what is to be shared; a page that is still busy may lose a press.
      if (mayPress('shareChoice') && (await page.press('shareChoice')))
        pressedAt.share = pressedAt.shareChoice = page.clock.now()
      else if (mayPress('share')) {
        await page.press('share')
        pressedAt.share = page.clock.now()
      }
      return null
    })
    if (!isTaken) throw new Error(`The meeting did not take the screen of the bot within ${TAKE_MS / 1000} s.`)
  } finally {
    await page.ask('offerScreen', false).catch((error) => page.logger.debug('The page was not asked', { error }))
  }
}

const FORBIDDEN = 'The host does not permit the bot to share a screen.'
const TAKEN = 'Another participant shares a screen, and the bot does not take their place.'

async function stateOf(page: MeetingPage): Promise<'enabled' | 'disabled' | null> {
  const button = await page.element('share')
  if (button === null) return null
  const isDisabled = await button
    .evaluate((element) => element.matches(':disabled, [aria-disabled="true"]'))
    .finally(() => button.dispose())
    .catch(() => false)
  return isDisabled ? 'disabled' : 'enabled'
}

/** A notice may have no words but a name. */
function textsOf(snapshot: CommonSnapshot & { notices?: readonly { name: string; text: string }[] }): string[] {
  return [...saidIn(snapshot), ...(snapshot.notices ?? []).map(({ name, text }) => `${name} ${text}`)]
}

/** Looks until something is found; null if it is not in time. */
function waiting({ clock }: Pick<MeetingPage, 'clock'>, signal: AbortSignal) {
  return async <Found>(limitMs: number, look: (looks: number) => Promise<Found | null>): Promise<Found | null> => {
    const deadline = clock.now() + limitMs
    for (let looks = 0; ; looks++) {
      signal.throwIfAborted()
      const found = await look(looks)
      if (found || clock.now() > deadline) return found || null
      await clock.sleep(LOOK_MS, signal)
    }
  }
}
