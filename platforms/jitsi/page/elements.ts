/**
 * Finds the page's controls: by the names that its own tests use, by label, and by structure where labels are unknown.
 */

import { isVisible, labelOf } from '../../shared/page/dom/visible-text.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import type { DeviceState } from '../../shared/page/types.ts'
import type { StoreView } from './store.ts'
import type { PageConfig } from './types.ts'

export type Elements = ReturnType<typeof createElements>

export function createElements(selectors: PageConfig['selectors'], { says }: Wording) {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const all = (name: string) => [...document.querySelectorAll(select(name))]
  const shown = (name: string) => all(name).find(isVisible) ?? null
  const label = (element: Element) => labelOf(element, select('icon'))
  const inDialog = (element: Element) => element.closest(select('dialog')) !== null

  /** A control of the page itself; hidden ones too, since toolbars hide while the pointer rests. */
  function labelled(...labels: string[]): Element | null {
    const found = all('clickable').filter(
      (element) => !inDialog(element) && labels.some((name) => says(name, label(element))),
    )
    return found.find(isVisible) ?? found[0] ?? null
  }

  /** The toggle is in one group with the arrow that opens the list of devices. */
  function besideMenu(menu: string): Element | null {
    const group = all(menu)[0]?.closest(select('toggleGroup'))
    return group?.querySelector(select('toggle')) ?? null
  }

  const toggles = {
    microphone: () => labelled('microphoneOn', 'microphoneOff', 'microphoneSwitch') ?? besideMenu('microphoneMenu'),
    camera: () => labelled('cameraOn', 'cameraOff', 'cameraSwitch') ?? besideMenu('cameraMenu'),
  }

  const finders = {
    nameBox: () => shown('nameBox'),
    join: () => shown('join'),
    microphone: toggles.microphone,
    camera: toggles.camera,
    leave: () => labelled('leave'),
    // In German both have the same words; only the one outside the menu is in a toolbar with icons only.
    leaveOnly: () =>
      all('clickable').find(
        (element) => says('leaveOnly', label(element)) && !element.matches(select('toggle')) && isVisible(element),
      ) ?? null,
    chat: () => labelled('openChat'),
    closeChat: () => labelled('closeChat'),
    share: () => labelled('shareScreen'),
    // The browser alone asks what is to be shared.
    shareChoice: () => null,
    chatBox: () => shown('chatBox'),
    send: () => {
      const buttons = [...(shown('chatBox')?.closest(select('chatInput'))?.querySelectorAll('button') ?? [])]
      return buttons.find((button) => says('send', label(button))) ?? buttons.at(-1) ?? null
    },
    passwordBox: () => shown('passwordBox'),
    passwordJoin: () => shown('passwordJoin') ?? shown('dialogOk'),
    withPassword: () => shown('withPassword'),
    dialogOk: () => shown('dialogOk'),
    launchWeb: () =>
      all('clickable').find((element) => says('launchWeb', label(element)) && isVisible(element)) ?? null,
  } satisfies Record<string, () => Element | null>

  return {
    find: (name: keyof typeof finders): Element | null => finders[name](),
    shown,
    device(kind: 'microphone' | 'camera', store: StoreView | null): DeviceState {
      const element = toggles[kind]()
      if (!element) return 'absent'
      if (element.getAttribute('aria-disabled') === 'true') return 'absent'
      const text = label(element)
      if (says(`${kind}On`, text)) return 'on'
      if (says(`${kind}Off`, text)) return 'off'
      const known = store?.[kind] ?? null
      if (known !== null) return known
      // A toggle in an unknown language: pressed means muted.
      const pressed = element.getAttribute('aria-pressed')
      return pressed === null ? 'absent' : pressed === 'true' ? 'off' : 'on'
    },
    label,
  }
}
