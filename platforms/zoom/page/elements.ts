/** Finds the page's controls: by class where Zoom's code has one, and by label inside the right part of the page. */

import { isVisible, labelOf } from '../../shared/page/dom/visible-text.ts'
import { createWording } from '../../shared/page/dom/wording.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { DeviceState } from '../../shared/page/types.ts'
import type { AudioState, PageConfig, SelectorName } from './types.ts'

const signals = signalNotes<'zoom'>()

type Given = Pick<PageConfig, 'selectors' | 'labels'>

export type Elements = ReturnType<typeof createElements>

export function createElements({ selectors, labels }: Given) {
  const wording = createWording(labels)
  const { says } = wording
  const select = (name: SelectorName) => (selectors as Partial<Record<SelectorName, string>>)[name] ?? ':not(*)'
  const all = (name: SelectorName, root: ParentNode = document) => [...root.querySelectorAll(select(name))]
  const first = (name: SelectorName, root: ParentNode = document) => root.querySelector(select(name))
  const drawn = (name: SelectorName, root: ParentNode = document) => all(name, root).find(isVisible) ?? null
  const label = (element: Element) => labelOf(element, select('icon'))
  const labelled = (wanted: string, root: ParentNode = document) =>
    all('clickable', root).find((element) => says(wanted, label(element)) && isVisible(element)) ?? null

  /** The footer hides while the pointer rests, but its buttons stay and can be pressed. */
  function footerButton(...wanted: string[]): Element | null {
    const footer = first('footer')
    const buttons = footer ? all('clickable', footer) : []
    return buttons.find((button) => wanted.some((name) => says(name, label(button)))) ?? null
  }

  /** The controls of the meeting and of the preview for the same device are in different places. */
  function deviceButton(inMeeting: SelectorName, inPreview: SelectorName): Element | null {
    const footer = first('footer')
    return (footer ? first(inMeeting, footer) : null) ?? first(inPreview)
  }

  function device(button: Element | null, kind: 'microphone' | 'camera'): DeviceState {
    if (!button) return 'absent'
    const text = label(button)
    // "Unmute" contains "mute", so off comes first.
    if (says(`${kind}Off`, text)) return 'off'
    if (says(`${kind}On`, text)) return 'on'
    if (kind === 'camera') return 'absent'
    // The icons are the same in every language.
    return first('microphoneOffIcon', button) ? 'off' : first('microphoneOnIcon', button) ? 'on' : 'absent'
  }

  const microphoneButton = () => deviceButton('microphone', 'previewMicrophone')
  const cameraButton = () => deviceButton('camera', 'previewCamera')

  /** A host's highlighted button ends the meeting for all, so it is never pressed. */
  function leaveMeeting(): Element | null {
    const options = drawn('leaveOptions')
    if (!options) return null
    const buttons = all('clickable', options).filter((button) => !says('endForAll', label(button)))
    const worded = buttons.find((button) => says('leaveMeeting', label(button)))
    if (worded) return worded
    return first('leaveDefault', options) ?? (buttons.length === 1 ? buttons[0]! : null)
  }

  function leave(): Element | null {
    const container = first('leaveContainer')
    return (
      footerButton('leave', 'end') ??
      (container ? (first('clickable', container) ?? container) : null) ??
      drawn('waitingLeave')
    )
  }

  function inMenu(menu: SelectorName, wanted: string): Element | null {
    const open = drawn(menu)
    return open ? labelled(wanted, open) : null
  }

  /** In the footer after the first use; before it in the More menu, or in a menu that opens from there. */
  function captionsOff(): Element | null {
    const button = first('captionsButton')
    if (button) return says('hideCaptions', label(button)) ? null : button
    const worded = all('clickable').find(
      (item) => says('showCaptions', label(item)) && isVisible(item) && item.closest(select('rightPanels')) === null,
    )
    const menu = drawn('moreMenu')
    return worded ?? (menu ? (first('captionsIcon', menu)?.closest(select('clickable')) ?? null) : null)
  }

  function captionsSave(): Element | null {
    for (const dialog of all('captionsLanguage').filter(isVisible)) {
      const buttons = all('clickable', dialog).filter((button) => isVisible(button) && !says('cancel', label(button)))
      const save =
        buttons.find((button) => says('save', label(button))) ??
        buttons.find((button) => button.matches(select('primaryButton'))) ??
        (buttons.length === 1 ? buttons[0] : undefined)
      if (save) return save
    }
    return null
  }

  function emailBox(): Element | null {
    const form = first('preview')
    const boxes = form ? [...form.querySelectorAll('input')].filter(isVisible) : []
    const named = (box: HTMLInputElement) => `${box.labels?.[0]?.textContent ?? ''} ${box.placeholder}`
    return signals.first('email_box', {
      mark: drawn('emailBox'),
      label: boxes.find((box) => says('email', named(box))) ?? null,
    })
  }

  /** Another button with these words may be in a dialog, which is answered elsewhere. */
  function terms(): Element | null {
    const agree = first('meetingApp') === null ? labelled('agree') : null
    const isApart = agree?.closest(select('dialog')) === null
    return signals.first('terms', { mark: drawn('termsAgree'), label: isApart ? agree : null })
  }

  function cookies(): Element | null {
    const banner = drawn('cookieReject') ?? drawn('cookieAccept') ?? inMenu('cookieBanner', 'cookies')
    return signals.first('cookies', { banner, label: first('meetingApp') === null ? labelled('cookies') : null })
  }

  const finders = {
    nameBox: () => drawn('nameBox'),
    emailBox,
    passcodeBox: () => drawn('passcodeBox'),
    join: () => drawn('joinButton'),
    joinFromBrowser: () => labelled('joinFromBrowser'),
    openApp: () => labelled('openApp'),
    cookies,
    terms,
    disclaimerAgree: () =>
      signals.first('disclaimer', { mark: drawn('disclaimerAgree'), label: inMenu('disclaimer', 'agree') }),
    microphone: microphoneButton,
    camera: cameraButton,
    people: () => first('peopleButton') ?? footerButton('people'),
    // The button's caret has a separate label that begins alike.
    chat: () =>
      all('chatButton').find((button) => says('chat', label(button))) ?? footerButton('chat') ?? first('chatButton'),
    chatBox: () => drawn('chatEditor'),
    send: () => drawn('chatSend'),
    more: () => first('moreButton') ?? footerButton('more') ?? first('moreFrame'),
    moreChat: () => inMenu('moreMenu', 'chat'),
    morePeople: () => inMenu('moreMenu', 'people'),
    leave,
    leaveMeeting,
    view: () => first('viewButton'),
    speakerView: () => all('viewItem').find((item) => says('speakerView', label(item))) ?? null,
    captions: captionsOff,
    captionsMenu: () => inMenu('moreMenu', 'captionsMenu'),
    captionsSave,
    galleryView: () => all('viewItem').find((item) => says('galleryView', label(item))) ?? null,
  } satisfies Record<string, () => Element | null>

  return {
    ...wording,
    find: (name: keyof typeof finders): Element | null => finders[name](),
    all,
    first,
    drawn,
    selector: select,
    label,
    microphone: () => device(microphoneButton(), 'microphone'),
    camera: () => device(cameraButton(), 'camera'),
    audio(): AudioState {
      const button = microphoneButton()
      if (!button) return 'absent'
      if (device(button, 'microphone') !== 'absent') return 'joined'
      return says('joinAudio', label(button)) || first('joinAudioIcon', button) ? 'apart' : 'unreadable'
    },
    /** A dialog with the name of an end is over the meeting, which stays in the page. */
    isCallOver: () => all('namedDialog').some((dialog) => isVisible(dialog) && says('endDialog', label(dialog))),
    /** The footer's button says End: the bot is a host. */
    isHost: () => footerButton('end') !== null,
    /** Number of people in the meeting with the bot. */
    peopleCount() {
      const button = finders.people()
      if (!button) return null
      const counter = first('peopleCounter', button.closest('[feature-type]') ?? button)
      return countedIn(counter?.textContent ?? '', (name) => wording.read(name, label(button)))
    },
  }
}

/** `read` gives the numbers that the button's label names. A host's number includes those who wait to be let in. */
function countedIn(counter: string, read: (name: 'peopleCount' | 'peopleWaiting') => string | null): number | null {
  const shown = /^\s*(\d+)\s*$/.exec(counter)?.[1] ?? read('peopleCount')
  const waiting = Number(read('peopleWaiting') ?? 0)
  // The bot is one of the people, so a number that is no larger leaves out those who wait.
  return shown === null ? null : Number(shown) - (waiting < Number(shown) ? waiting : 0)
}
