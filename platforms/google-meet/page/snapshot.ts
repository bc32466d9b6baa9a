/** Reads all signs for the driver, in one poll of the page. */

import type { Speech } from '../../shared/page/audio/speech.ts'
import { createDialogReader, hasVisibleCaptcha } from '../../shared/page/dom/dialogs.ts'
import { isVisible, plain, textWithout, visibleLines } from '../../shared/page/dom/visible-text.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'
import type { PageConfig, PageSnapshot } from './types.ts'

const signals = signalNotes<'meet'>()

export function createSnapshotReader(
  config: PageConfig,
  elements: Elements,
  roster: Roster,
  audioReceivers: () => number,
  speech: Pick<Speech, 'isReceived' | 'speaking'> | null,
) {
  const { selectors, botName } = config
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const all = (name: string) => [...document.querySelectorAll(select(name))]
  /** Messages and names of people never count as wording of the page. */
  const peoples = ['tile', 'sidePanel', 'captionsRegion', 'chatMessage', 'dialog', 'icon'].map(select)
  const without = [...peoples, 'iframe', 'textarea', 'noscript', 'video', 'audio', 'canvas'].join(',')
  const dialogs = createDialogReader(select, elements.label)

  function others(peopleCount: number | null): number | null {
    if (roster.source === 'channel' || roster.source === 'http') return roster.present().length
    if (peopleCount !== null) return Math.max(0, peopleCount - 1)
    const present = roster.present().length
    // Tiles of others prove that there are others; missing tiles prove nothing.
    return present > 0 ? present : null
  }

  /** A lone tile with the bot's name is its own too. */
  function ownTiles(tiles: readonly Element[]): number {
    const marks = `${select('ownTileMark')}, ${select('ownNameAttribute')}`
    const marked = tiles.filter((tile) => tile.matches(select('ownNameAttribute')) || tile.querySelector(marks))
    if (marked.length > 0 || tiles.length !== 1) return marked.length
    return Number(textWithout(tiles[0]!.querySelector(select('tileName')) ?? tiles[0]!, select('icon')) === botName)
  }

  function noteVoice(): void {
    if (!speech || speech.speaking().size === 0) return
    signals.note(speech.isReceived() ? 'voice.receivers' : 'voice.elsewhere', true)
  }

  return {
    read(): PageSnapshot {
      noteVoice()
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
        at: pageNow(),
        url: location.href,
        lang: document.documentElement?.lang ?? '',
        lines: (body ? visibleLines(body, without) : []).filter((line) => !elements.says('chatToast', line)),
        headings: all('heading')
          .filter((heading) => isVisible(heading) && heading.closest(peoples.join(',')) === null)
          .map((heading) => textWithout(heading, select('icon'))),
        dialogs: dialogs.read(),
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
        ownTiles: ownTiles(tiles),
        captionsControl: elements.labelled('captions') !== null,
        captionsOn: all('captionsRegion').length > 0,
        peopleCount,
        shareScreen: elements.labelled('shareScreen') !== null,
        chatControl: elements.find('chat') !== null,
        leaveControl: elements.find('leave') !== null,
        returnHome: [
          signals.note('out.mark', all('returnHome').some(isVisible)),
          signals.note('out.button', all('returnHomeButton').some(isVisible) || isDrawn('returnHome')),
        ].includes(true),
        rejoin: isDrawn('rejoin'),
        askAgain: isDrawn('askAgain'),
        countdown: all('countdown').some(isVisible),
        callEnded: all('callEnded').length > 0,
        captcha: hasVisibleCaptcha(select('captcha')),
        ownStatus: roster.ownStatus,
        others: others(peopleCount),
        rosterSource: roster.source,
        audioElements: document.querySelectorAll('audio').length,
        audioReceivers: audioReceivers(),
      }
    },
    reference: dialogs.reference,
  }
}
