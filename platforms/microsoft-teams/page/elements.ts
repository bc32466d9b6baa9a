/** Finds the page's controls: first by the marks that survive releases, then by their wording. */

import { isVisible, labelOf, plain } from '../../shared/page/dom/visible-text.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { DeviceState } from '../../shared/page/types.ts'
import type { PageConfig } from './types.ts'

const signals = signalNotes<'teams'>()

export type Elements = ReturnType<typeof createElements>

export function createElements({ selectors }: Pick<PageConfig, 'selectors'>, { says }: Wording) {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const all = (name: string) => [...document.querySelectorAll(select(name))]
  const label = (element: Element) => plain(labelOf(element, `${select('icon')}, ${select('hidden')}`))
  const inDialog = (element: Element) => element.closest(select('dialog')) !== null
  const first = (name: string) => all(name)[0] ?? null
  const visible = (name: string) => all(name).find(isVisible) ?? null

  function worded(wording: string, within = 'body'): Element | null {
    const isIt = (element: Element) => isVisible(element) && !inDialog(element) && says(wording, label(element))
    const places = [...document.querySelectorAll(within)]
    return places.flatMap((place) => [...place.querySelectorAll(select('clickable'))]).find(isIt) ?? null
  }

  /** The control with a mark, which may be on a wrapper of the control. */
  function control(name: string): Element | null {
    const found = all(name).filter((element) => element.closest(select('monitor')) === null)
    const [marked] = found
    if (!marked || marked.matches('button, input, [role="button"], [role="switch"]')) return marked ?? null
    return marked.querySelector('button, input, [role="button"], [role="switch"]') ?? marked
  }

  function nameBox(): Element | null {
    const known = all('nameBox').find(isVisible)
    if (known) return known
    if (!first('preJoin')) return null
    const boxes = all('anyTextBox').filter((box) => isVisible(box) && !inDialog(box))
    const words = (box: Element) => `${box.getAttribute('aria-label') ?? ''} ${box.getAttribute('placeholder') ?? ''}`
    return boxes.find((box) => says('yourName', words(box))) ?? (boxes.length === 1 ? boxes[0]! : null)
  }

  function join(): Element | null {
    return visible('join') ?? (first('preJoin') ? worded('join') : null)
  }

  /** In the call the toolbar's button, before the join the switch. */
  function device(kind: 'microphone' | 'camera'): Element | null {
    return control(kind) ?? control(`${kind}Switch`)
  }

  /** The page may keep the other icon, hidden. */
  function microphoneIcon(control: Element): Element | null {
    const marks = `${select('microphoneOffMark')}, ${select('microphoneOnMark')}`
    const icons = [control, ...control.querySelectorAll('*')].filter((part) => part.matches(marks))
    return icons.find(isVisible) ?? icons[0] ?? null
  }

  function deviceState(kind: 'microphone' | 'camera'): DeviceState {
    const element = device(kind)
    if (!element || element.matches(':disabled, [aria-disabled="true"]')) return 'absent'
    const state = element.getAttribute('data-state')
    if (state === 'mic' || state === 'mic-off') return state === 'mic' ? 'on' : 'off'
    const icon = microphoneIcon(element.closest(select(kind)) ?? element)
    if (icon) return icon.matches(select('microphoneOffMark')) ? 'off' : 'on'
    const words = [label(element), plain(element.getAttribute('title') ?? '')]
    if (words.some((text) => says(`${kind}On`, text))) return 'on'
    if (words.some((text) => says(`${kind}Off`, text))) return 'off'
    // The live property; the attribute never changes, and sources disagree on the meaning of `data-cid`
    // (docs/platform-notes/microsoft-teams.md#microphone-and-camera-switches).
    if (element instanceof HTMLInputElement) return element.checked ? 'on' : 'off'
    const pressed = element.getAttribute('aria-checked') ?? element.getAttribute('aria-pressed')
    return pressed === null ? 'absent' : pressed === 'true' ? 'on' : 'off'
  }

  /** Only where the bot would receive no sound: the speaker is off, or another kind of sound is chosen. */
  function speaker(): Element | null {
    const element = control('speakerSwitch')
    if (!element || element.matches(':disabled')) return null
    const isOff = says('speakerOff', label(element)) || says('speakerOff', element.getAttribute('title') ?? '')
    return isOff || (element instanceof HTMLInputElement && !element.checked) ? element : null
  }

  /** Where the pane has several editors, such as one for a reply, the one for a new message. */
  function chatBox(): Element | null {
    const boxIn = (name: string) => {
      const boxes = all(name).filter((box) => box.getAttribute('contenteditable') === 'true' && isVisible(box))
      return boxes.find((box) => says('chatBox', box.getAttribute('aria-label') ?? '')) ?? boxes[0] ?? null
    }
    return signals.first('chat_box', { mark: boxIn('chatBox'), text_box: boxIn('textBox') })
  }

  /** A switch is drawn by its label, which covers the box that has the state. */
  function pressable(element: Element | null): Element | null {
    return element instanceof HTMLInputElement ? (element.labels?.[0] ?? element) : element
  }

  const finders = {
    onWeb: () => visible('onWeb') ?? (first('launcher') ? worded('onWeb') : null),
    nameBox,
    join,
    cancel: () => visible('cancel'),
    microphone: () => pressable(device('microphone')),
    camera: () => pressable(device('camera')),
    speaker: () => pressable(speaker()),
    computerAudio: () => all('computerAudio').find((radio) => radio.getAttribute('aria-checked') === 'false') ?? null,
    leave: () => control('leave') ?? worded('leave', select('callScreen')),
    leaveItem: () => visible('leaveItem'),
    confirmLeave: () => visible('confirmLeave'),
    chat: () => control('chat'),
    chatBox,
    share: () => control('share'),
    shareChoice: () => worded('shareChoice'),
    rejoin: () => worded('rejoin'),
    send: () => signals.first('chat_send', { mark: visible('send'), label: worded('send', select('sidePane')) }),
    view: () => control('view'),
    speakerView: () => visible('speakerView'),
    galleryView: () => visible('galleryView'),
    viewMore: () => visible('viewMore'),
    incomingVideo: () => visible('incomingVideo'),
    more: () => control('more'),
    captionsMenu: () => visible('captionsMenu'),
    captionsItem: () => visible('captionsItem'),
  } satisfies Record<string, () => Element | null>

  return {
    find: (name: keyof typeof finders): Element | null => finders[name](),
    device: deviceState,
    visible,
    has: (name: string) => first(name) !== null,
    label,
    select,
  }
}
