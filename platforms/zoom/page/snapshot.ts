/** Reads all signs for the driver, in one poll of the page. */
import { createDialogReader, hasVisibleCaptcha } from '../../shared/page/dom/dialogs.ts'
import { isVisible, plain, textWithout, visibleLines } from '../../shared/page/dom/visible-text.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import { BreakoutRooms } from './breakout-rooms.ts'
import type { Elements } from './elements.ts'
import type { FormSnapshot, PageConfig, PageSnapshot, SelectorName } from './types.ts'

const signals = signalNotes<'zoom'>()

/** Facts that other parts of the script know and the page's own text does not show. */
export interface KnownToSnapshot {
  others(peopleCount: number | null): number | null
  hears(): boolean
  isListDue(): boolean
}

/** Parts of the page with messages, names and topics of people. */
const OF_PEOPLE: readonly SelectorName[] = ['tile', 'rightPanels', 'captions', 'toasts', 'dialog', 'waitingRoom']
const TOPIC = '.meeting-header, .wr-topic, .wr-schedule-date'
const NO_WORDING = 'iframe, textarea, noscript, video, audio, canvas'
const MEETING_MARKS = { speaker: 'speakerFrame', gallery: 'galleryFrame', single: 'singleFrame' } as const

export function createSnapshotReader(config: PageConfig, elements: Elements, known: KnownToSnapshot) {
  const { selectors } = config
  const select = (name: SelectorName) => selectors[name] ?? ':not(*)'
  const { all, first, drawn } = elements
  const without = [...OF_PEOPLE.map(select), select('icon'), TOPIC, NO_WORDING].join(',')
  const dialogs = createDialogReader(select, elements.label)
  const textOf = (element: Element | null) =>
    element === null ? null : visibleLines(element, `${select('icon')}, ${TOPIC}`).join(' ')

  function form(): FormSnapshot | null {
    const name = drawn('nameBox') as HTMLInputElement | null
    const join = drawn('joinButton')
    const passcode = drawn('passcodeBox') as HTMLInputElement | null
    if (!name && !join && !passcode) return null
    const isClassic = name?.id === 'inputname' || join?.id === 'joinBtn'
    const hasDevices = first('previewMicrophone') !== null && first('previewCamera') !== null
    return {
      client: isClassic ? 'classic' : 'react',
      name: name && { value: name.value, isEnabled: !name.disabled && !name.readOnly },
      passcode: passcode && { isFilled: passcode.value !== '' },
      asksForEmail: elements.find('emailBox') !== null,
      join: join && {
        label: plain(elements.label(join)),
        isEnabled: !join.matches(':disabled, .disabled, [aria-disabled="true"]'),
      },
      errors: all('fieldError')
        .filter(isVisible)
        .map((error) => textWithout(error, select('icon')))
        .filter((text) => text !== ''),
      isSettled: isClassic || hasDevices,
    }
  }

  /** The older layout of the launch page has only the labels of its links. */
  function joinsElsewhere(): boolean {
    return elements.find('joinFromBrowser') !== null || elements.find('openApp') !== null
  }

  function waiting(): string[] | null {
    const rooms = all('waitingRoom').filter(isVisible)
    if (rooms.length === 0) return null
    return rooms.flatMap((room) => visibleLines(room, `${select('icon')}, button, ${TOPIC}`))
  }

  /** The toolbar is drawn while joining and in the waiting room too, and counts no people there. */
  function marks(peopleCount: number | null): string[] {
    const found = Object.entries(MEETING_MARKS).flatMap(([mark, name]) => (drawn(name) ? [mark] : []))
    const footer = first('footer')
    // The footer slides out of view, so only its presence counts.
    const hasLeave = footer !== null && elements.find('leave') !== null && footer.contains(elements.find('leave'))
    return hasLeave && peopleCount !== 0 ? ['footer', ...found] : found
  }

  function view(): PageSnapshot['view'] {
    if (drawn('galleryFrame')) return 'gallery'
    if (drawn('speakerFrame')) return 'speaker'
    return drawn('tile') ? 'other' : null
  }

  const rooms = new BreakoutRooms(elements)

  let hadCaptions = false
  /** The client forgets captions after a breakout room: their parts are gone then, and the footer is there. */
  function captionsOn(): boolean | null {
    const box = first('captions')
    const button = first('captionsButton')
    const hides = button !== null && elements.says('hideCaptions', elements.label(button))
    const isOn = box !== null ? !/__box--hide(?:\s|$)/.test(box.className) : hides
    hadCaptions ||= isOn
    if (isOn) return true
    return box !== null || (first('footer') !== null && hadCaptions) ? false : null
  }

  return {
    read(): PageSnapshot {
      const body = document.body as HTMLElement | null
      const pageError = drawn('pageError')
      const joining = drawn('joiningLayer')
      const disclaimer = drawn('disclaimer')
      const lost = drawn('reconnecting') ?? drawn('disconnected')
      const peopleCount = elements.peopleCount()
      const hears = known.hears()
      signals.note('recording.dialog', drawn('recordingNotice') !== null)
      const lines = body ? visibleLines(body, without) : []
      for (const name of ['previewWall', 'signInPrompt'] as const) {
        const text = textOf(drawn(name))
        if (text) lines.push(text)
      }
      return {
        at: pageNow(),
        url: location.href,
        lang: document.documentElement?.lang ?? '',
        title: plain(document.title).slice(0, 200),
        lines,
        headings: all('heading')
          .filter((heading) => isVisible(heading) && heading.closest(without) === null)
          .map((heading) => textWithout(heading, select('icon'))),
        dialogs: dialogs.read(),
        dialogNames: all('namedDialog')
          .filter(isVisible)
          .map((dialog) => plain(dialog.getAttribute('aria-label') ?? '').slice(0, 100)),
        microphone: elements.microphone(),
        camera: elements.camera(),
        others: known.others(peopleCount),
        areRoomsOpen: rooms.areOpen(),
        captionsOn: captionsOn(),
        pageError: textOf(pageError),
        launchPage: drawn('launchPage') !== null || joinsElsewhere(),
        cookieBanner: elements.find('cookies') !== null,
        termsAsked: elements.find('terms') !== null,
        disclaimer: textOf(disclaimer),
        form: form(),
        captcha: hasVisibleCaptcha(select('captchaFrame')) || drawn('captchaPicture') !== null,
        joining: textOf(joining),
        waiting: waiting(),
        marks: marks(peopleCount),
        meetingApp: first('meetingApp') !== null,
        leaveControl: elements.find('leave') !== null,
        isHost: elements.isHost(),
        leaveOptions: drawn('leaveOptions') !== null,
        audio: elements.audio(),
        hears,
        receivesSound: hears,
        reconnecting: textOf(lost),
        peopleCount,
        peoplePanel: drawn('peopleList') !== null,
        chatPanel: drawn('chatPanel') !== null,
        view: view(),
        isBlank: lines.length === 0 && joining === null && first('captchaFrame') === null,
        isListDue: known.isListDue(),
      }
    },
    reference: dialogs.reference,
  }
}
