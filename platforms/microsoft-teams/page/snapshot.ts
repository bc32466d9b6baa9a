/** Reads all signs for the driver, in one poll of the page. */
import type { DialogReader } from '../../shared/page/dom/dialogs.ts'
import { isVisible, plain, textWithout, visibleLines } from '../../shared/page/dom/visible-text.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { Elements } from './elements.ts'
import type { PageView, People } from './people.ts'
import type { CallMark, EndNotice, PageSnapshot } from './types.ts'

const signals = signalNotes<'teams'>()

/** The script's own knowledge, beside the signs on the page. */
export interface Knowledge {
  people: People
  dialogs: DialogReader
  endNotice(hasToolbar: boolean): EndNotice | null
  unattributedMs(): number
  audioReceivers(): number
}

export interface SnapshotReader {
  read(): PageSnapshot
  /** Number of people in the call with the bot, as far as the page says it. */
  peopleCount(): Pick<PageView, 'count' | 'atMost'>
}

/** Buttons of the toolbar that are a sign of a call; the one to leave is not counted. */
const CALL_BUTTONS = ['chat', 'people', 'raise', 'react', 'share', 'microphone', 'view'] as const
const ENOUGH_BUTTONS = 2

export function createSnapshotReader(elements: Elements, wording: Wording, knowledge: Knowledge): SnapshotReader {
  const { select, has, visible, find, label } = elements
  const { people } = knowledge
  /** Messages and names of people never count as wording of the page, nor do banners, which may contain any text. */
  const apart = ['tile', 'tileName', 'sidePane', 'chatList', 'captions', 'dialog', 'banner', 'icon', 'shell']
  const peoples = [...apart, 'meetingTitle'].map(select)
  const without = [...peoples, 'iframe', 'textarea', 'noscript', 'video', 'audio', 'canvas', '[role="menu"]'].join(',')
  let leaveSeenAt: number | null = null
  /** At the latest read. */
  let saysAlone = false

  function retry(): PageSnapshot['retry'] {
    const screen = visible('retry')
    if (!screen) return null
    const texts = ['retryTitle', 'retryText'].flatMap((name) => {
      const part = screen.querySelector(select(name))
      const text = part ? textWithout(part, select('icon')) : ''
      return text === '' ? [] : [text]
    })
    const again = screen.querySelector(select('retryAgain'))
    return {
      texts: texts.length > 0 ? texts : visibleLines(screen, `${select('icon')}, button, input`),
      asksForCode: screen.querySelector(select('retryCode')) !== null,
      canRejoin: again !== null && !again.matches(':disabled, [aria-disabled="true"]'),
    }
  }

  function peopleCount(): Pick<PageView, 'count' | 'atMost'> {
    const badge = document.querySelector(select('peopleBadge'))
    const [, number, more] = /^\s*(\d{1,5})(\+?)\s*$/.exec(badge?.textContent ?? '') ?? []
    if (number === undefined) return { count: null, atMost: saysAlone ? 1 : null }
    return { count: Number(number), atMost: more ? null : Number(number) }
  }

  function callMarks(): CallMark[] {
    const snapshot: CallMark[] = []
    const buttons = CALL_BUTTONS.filter((name) => has(name)).length
    if (buttons >= ENOUGH_BUTTONS) snapshot.push('toolbar')
    if (has('stage') || has('tile')) snapshot.push('tiles')
    if (has('duration')) snapshot.push('duration')
    if (people.source === 'push' || people.source === 'call') snapshot.push('roster')
    return snapshot
  }

  /** A missing badge says nothing; the page says in words that the bot is alone. */
  function others(count: number | null): number | null {
    const known = people.present().length
    if (people.source === 'call' && (people.selfIsKnown || known > 0)) return known
    if (count !== null) return Math.max(known, count - 1)
    if (known > 0) return known
    return saysAlone ? 0 : null
  }

  function read(): PageSnapshot {
    const at = pageNow()
    const body = document.body as HTMLElement | null
    const lines = body ? visibleLines(body, without) : []
    const dialogs = knowledge.dialogs.read()
    const nameBox = find('nameBox') as HTMLInputElement | null
    const join = find('join')
    const leaveControl = find('leave') !== null
    if (leaveControl) leaveSeenAt = at
    saysAlone = lines.some((line) => wording.says('alone', line))
    const { count } = peopleCount()
    const failed = retry()
    const ended = visible('end')
    const encryptionEnd = visible('encryptionEnd') !== null
    signals.note('out.screen', [ended, failed].some((screen) => screen !== null) || encryptionEnd)
    const end = ended ?? (leaveControl || failed ? null : find('rejoin'))
    signals.note('out.words', end !== null && end !== ended)
    return {
      at,
      url: location.href,
      lang: document.documentElement?.lang ?? '',
      lines,
      headings: [...document.querySelectorAll(select('heading'))]
        .filter((heading) => isVisible(heading) && heading.closest(peoples.join(',')) === null)
        .map((heading) => textWithout(heading, without)),
      dialogs,
      banners: [...document.querySelectorAll(select('banner'))]
        .filter(isVisible)
        .map((banner) => textWithout(banner, select('icon'))),
      microphone: elements.device('microphone'),
      camera: elements.device('camera'),
      others: others(count),
      httpStatus: statusOfDocument(),
      splash: visible('splash') !== null,
      isBlank: dialogs.length === 0 && lines.length === 0 && nameBox === null && !leaveControl,
      launcher: find('onWeb') !== null || visible('launcher') !== null,
      signInForm: visible('signInForm') !== null,
      captcha: visible('captcha') !== null,
      preJoin: has('preJoin') && !has('lobby'),
      nameBox: nameBox === null ? null : { value: nameBox.value },
      join: join && { label: label(join), isEnabled: !join.matches(':disabled, [aria-disabled="true"]') },
      speakerIsOff: find('speaker') !== null,
      withoutComputerAudio: find('computerAudio') !== null,
      connecting: visible('connecting') !== null,
      lobby: visible('lobby') !== null,
      retry: failed,
      endScreen: end && (ended ? plain(textWithout(end, select('icon'))) : (lines[0] ?? '')),
      encryptionEnd,
      leaveControl,
      leaveGoneMs: leaveSeenAt === null || leaveControl ? null : at - leaveSeenAt,
      callMarks: leaveControl ? callMarks() : [],
      chatControl: find('chat') !== null,
      chatPane: has('chatList') || has('chatOff'),
      viewControl: find('view') !== null,
      peopleCount: count,
      endNotice: knowledge.endNotice(leaveControl),
      rosterSource: people.source,
      unattributedMs: knowledge.unattributedMs(),
      captionsShown: has('captions'),
      // The captions window opens at the first speech, so its absence says nothing.
      captionsOn: has('captions') ? true : null,
      audioReceivers: knowledge.audioReceivers(),
    }
  }

  return { read, peopleCount }
}

/** A later page of the join may fail although the first one was fine. */
function statusOfDocument(): number | null {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return navigation?.responseStatus || null
}
