/** Finds the page's controls, by label where the language is known and by structure where it is not. */

import { isVisible, textWithout } from '../../shared/page/dom/visible-text.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { DeviceState } from '../../shared/page/types.ts'
import { createControls } from './controls.ts'
import { createJoinControls } from './join-controls.ts'
import type { PageConfig } from './types.ts'

const signals = signalNotes<'meet'>()

type Wording = Pick<PageConfig, 'selectors' | 'labels' | 'joinLabels'>

export type Elements = ReturnType<typeof createElements>

export function createElements({ selectors, labels, joinLabels }: Wording) {
  const controls = createControls(selectors, labels)
  const { says, read, select, all, label, inDialog, inTile, clickable } = controls
  const { nameBox, join } = createJoinControls(controls, joinLabels)

  function deviceElement(kind: 'microphone' | 'camera'): Element | null {
    const words = [`${kind}On`, `${kind}Off`, `${kind}Problem`]
    const byLabel = clickable().filter((element) =>
      words.some((word) => says(word, element.getAttribute('aria-label') ?? '')),
    )
    const named = all(`${kind}ByName`)
    const toggles = all('deviceToggle').filter(
      (element) => !inTile(element) && element.closest(select('sidePanel')) === null,
    )
    const byOrder = toggles.length === 2 ? toggles[kind === 'microphone' ? 0 : 1] : undefined
    return byLabel.find(isVisible) ?? byLabel[0] ?? named[0] ?? byOrder ?? null
  }

  function device(kind: 'microphone' | 'camera'): DeviceState {
    const element = deviceElement(kind)
    if (!element) return 'absent'
    const text = element.getAttribute('aria-label') ?? ''
    if (says(`${kind}Problem`, text)) return 'problem'
    const isMuted = element.getAttribute('data-is-muted')
    if (isMuted !== null) return isMuted === 'true' ? 'off' : 'on'
    return says(`${kind}On`, text) ? 'on' : 'off'
  }

  /** A visible control that has this label. */
  function labelled(wanted: string): Element | null {
    const found = clickable().filter((element) => says(wanted, label(element)))
    return found.find(isVisible) ?? found[0] ?? null
  }

  function byIcon(ligature: string): Element | null {
    const icons = [...document.querySelectorAll('i, .google-symbols')].filter(
      (icon) => icon.textContent?.trim() === ligature,
    )
    const buttons = icons.flatMap((icon) => icon.closest(select('clickable')) ?? [])
    return buttons.find((element) => !inTile(element) && !inDialog(element)) ?? null
  }

  function people(): Element | null {
    // Other badges have the same form, and this one's name may be a hidden element.
    const badge = all('peopleBadge').find((element) =>
      [label(element), textWithout(element, select('icon'))].some((text) => says('people', text)),
    )
    return signals.first('people_button', {
      panel: all('peoplePanelButton')[0] ?? null,
      // The number of faces on it marks it in every language.
      badge: badge ?? chip(),
      label: labelled('people'),
      icon: byIcon('people'),
    })
  }

  function chip(): Element | null {
    return all('peopleChip').find((element) => !inTile(element) && !inDialog(element)) ?? null
  }

  /** The badge shows its number next to its name, or in an attribute for which no words are needed. */
  function countOnBadge(badge: Element): number | null {
    const counted = badge.matches('[data-avatar-count]') ? badge : badge.querySelector('[data-avatar-count]')
    const attribute = counted?.getAttribute('data-avatar-count') ?? ''
    const numbers = [...badge.querySelectorAll('*')]
      .filter(({ childElementCount }) => childElementCount === 0)
      .map((leaf) => leaf.textContent?.trim() ?? '')
    const number = [...numbers, attribute].find((text) => /^\d{1,5}$/.test(text))
    return number === undefined ? null : Number(number)
  }

  const finders = {
    nameBox,
    join: () => join()?.element ?? null,
    withoutAccount: () => labelled('withoutAccount'),
    microphone: () => deviceElement('microphone'),
    camera: () => deviceElement('camera'),
    leave: () =>
      clickable().find((element) => !inDialog(element) && says('leave', label(element))) ??
      all('leaveByName')[0] ??
      byIcon('call_end'),
    chat: () => labelled('chat') ?? all('chatPanelButton')[0] ?? byIcon('chat'),
    chatBox: () => all('chatBox').find(isVisible) ?? null,
    send: () => {
      const box = all('chatBox').find(isVisible)
      const panel = box?.closest(select('sidePanel'))
      const buttons = [...(panel?.querySelectorAll('button') ?? [])].filter(isVisible)
      return (
        buttons.find((element) => says('chatBox', label(element)) && element.getAttribute('role') !== 'switch') ??
        buttons.find((element) => element.matches(select('sendByName'))) ??
        buttons.find((element) => element.querySelector('i')?.textContent?.trim() === 'send') ??
        null
      )
    },
    people,
    // Its icon is the same in every language, and another one while the bot shares.
    share: () => byIcon('computer_arrow_up') ?? byIcon('present_to_all') ?? labelled('shareScreen'),
    shareChoice: () => all('menuItem').find((item) => isVisible(item) && says('shareChoice', label(item))) ?? null,
    // The icon of captions that are off; those that are on have another one.
    captions: () => byIcon('closed_caption_off') ?? labelled('captions'),
    captionsItem: () => all('menuItem').find((item) => isVisible(item) && says('turnOnCaptions', label(item))) ?? null,
  } satisfies Record<string, () => Element | null>

  return {
    find: (name: keyof typeof finders): Element | null => finders[name](),
    join,
    labelled,
    device,
    /** Number of people in the call with the bot, as the people button or badge says. */
    peopleCount() {
      const element = people() ?? chip()
      if (!element) return null
      const texts = [element.getAttribute('aria-label') ?? '', textWithout(element, select('icon'))]
      for (const text of texts) {
        const number = read('peopleCount', text)
        if (number !== null) return Number(number)
      }
      const counted = element.matches(`${select('peopleBadge')}, ${select('peopleChip')}`) ? element : chip()
      return counted && countOnBadge(counted)
    },
    says,
    read,
    label,
  }
}
