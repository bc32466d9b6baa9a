/** Reads everything that the driver judges by, in one look at the page. */
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'
import type { DialogSigns, PageConfig, PageSigns } from './types.ts'
import { isVisible, plain, textWithout, visibleLines } from './visible-text.ts'

/** Smaller frames are the scoring frames that every page has. Pixels. */
const CAPTCHA_WIDTH = 120
const CAPTCHA_HEIGHT = 40

export interface SignsReader {
  read(): PageSigns
  reference(ref: number): Element | null
}

export function createSignsReader(
  config: PageConfig,
  elements: Elements,
  roster: Roster,
  audioReceivers: () => number,
): SignsReader {
  const { selectors } = config
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const all = (name: string) => [...document.querySelectorAll(select(name))]
  /** What people write and are called never counts as wording of the page. */
  const peoples = ['tile', 'sidePanel', 'captionsRegion', 'chatMessage', 'dialog', 'icon'].map(select)
  const without = [...peoples, 'iframe', 'textarea', 'noscript', 'video', 'audio', 'canvas'].join(',')
  let references: Element[] = []

  function dialogs(): DialogSigns[] {
    return all('dialog')
      .filter((dialog) => isVisible(dialog) && dialog.parentElement?.closest(select('dialog')) === null)
      .map((dialog) => ({
        text: visibleLines(dialog, `${select('icon')}, button, [role="button"]`).join(' '),
        isModal: dialog.getAttribute('aria-modal') === 'true',
        isPersistent: dialog.getAttribute('data-is-persistent') === 'true',
        buttons: [...dialog.querySelectorAll(select('clickable'))].filter(isVisible).map((button) => ({
          label: elements.label(button),
          action: button.getAttribute('data-mdc-dialog-action'),
          ref: references.push(button) - 1,
        })),
      }))
  }

  function hasCaptcha(): boolean {
    return all('captcha').some((frame) => {
      const { width, height } = frame.getBoundingClientRect()
      return width >= CAPTCHA_WIDTH && height >= CAPTCHA_HEIGHT && isVisible(frame)
    })
  }

  function others(peopleCount: number | null): number | null {
    if (roster.source === 'channel' || roster.source === 'http') return roster.present().length
    if (peopleCount !== null) return Math.max(0, peopleCount - 1)
    const present = roster.present().length
    // Tiles of others prove others; their absence proves nothing.
    return present > 0 ? present : null
  }

  return {
    read() {
      references = []
      const body = document.body as HTMLElement | null
      const tiles = all('tile')
      const peopleCount = elements.peopleCount()
      const join = elements.join()
      const nameBox = elements.find('nameBox') as HTMLInputElement | null
      const isDrawn = (label: string) => {
        const element = elements.labelled(label)
        return element !== null && isVisible(element)
      }
      return {
        at: Date.now(),
        url: location.href,
        lang: document.documentElement?.lang ?? '',
        lines: (body ? visibleLines(body, without) : []).filter((line) => !elements.says('chatToast', line)),
        headings: all('heading')
          .filter((heading) => isVisible(heading) && heading.closest(peoples.join(',')) === null)
          .map((heading) => textWithout(heading, select('icon'))),
        dialogs: dialogs(),
        nameBox: nameBox === null ? null : { value: nameBox.value },
        join: join && {
          label: plain(join.label),
          rank: join.rank,
          isEnabled: !join.element.matches(':disabled, [aria-disabled="true"]'),
        },
        switchHere: isDrawn('switchHere'),
        withoutAccount: isDrawn('withoutAccount'),
        microphone: elements.device('microphone'),
        camera: elements.device('camera'),
        tiles: tiles.length,
        captionsControl: elements.labelled('captions') !== null,
        peopleCount,
        shareScreen: elements.labelled('shareScreen') !== null,
        chatControl: elements.find('chat') !== null,
        leaveControl: elements.find('leave') !== null,
        returnHome: all('returnHome').some(isVisible) || isDrawn('returnHome'),
        rejoin: isDrawn('rejoin'),
        askAgain: isDrawn('askAgain'),
        countdown: all('countdown').some(isVisible),
        callEnded: all('callEnded').length > 0,
        captcha: hasCaptcha(),
        ownStatus: roster.ownStatus,
        others: others(peopleCount),
        rosterSource: roster.source,
        audioElements: document.querySelectorAll('audio').length,
        audioReceivers: audioReceivers(),
      }
    },
    reference: (ref) => references[ref] ?? null,
  }
}
