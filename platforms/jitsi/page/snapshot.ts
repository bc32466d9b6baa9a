/** Reads all signs for the driver, in one poll of the page. */
import { createDialogReader } from '../../shared/page/dom/dialogs.ts'
import { isVisible, textWithout, visibleLines } from '../../shared/page/dom/visible-text.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import type { Elements } from './elements.ts'
import type { StoreView } from './store.ts'
import type { Notice, PageConfig, PageSnapshot } from './types.ts'

const MAX_NOTICES = 20
const MAX_NOTICE = 300

export interface SnapshotParts {
  elements: Elements
  /** Others in the meeting; null if the page does not say. */
  others(): number | null
  isMediaLost(): boolean
}

export function createSnapshotReader({ selectors }: PageConfig, { elements, others, isMediaLost }: SnapshotParts) {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const all = (name: string) => [...document.querySelectorAll(select(name))]
  const text = (element: Element) => textWithout(element, select('icon')).slice(0, MAX_NOTICE)
  const peoples = ['peoples', 'remoteTile', 'dialog', 'notificationArea', 'icon'].map(select)
  const without = [...peoples, 'iframe', 'textarea', 'noscript', 'video', 'audio', 'canvas'].join(',')
  const dialogs = createDialogReader(select, elements.label)
  let wasJoined = false

  function notices(): Notice[] {
    return all('notification')
      .filter(isVisible)
      .slice(0, MAX_NOTICES)
      .map((element) => ({ name: element.getAttribute('data-testid') ?? '', text: text(element) }))
  }

  return {
    read(store: StoreView | null): PageSnapshot {
      const body = document.body as HTMLElement | null
      const nameBox = elements.find('nameBox') as HTMLInputElement | null
      const join = elements.find('join')
      const overlay = elements.shown('overlay')
      const reason = elements.shown('leaveReason')
      const isLobby = elements.shown('lobby') !== null
      wasJoined ||= store?.isJoined ?? false
      return {
        at: pageNow(),
        // The rest of the address may hold a token.
        url: `${location.protocol}//${location.host}${location.pathname}`,
        lang: document.documentElement?.lang ?? '',
        lines: body ? visibleLines(body, without) : [],
        headings: [...document.querySelectorAll('h1, h2, [role="heading"]')]
          .filter((heading) => isVisible(heading) && heading.closest(peoples.join(',')) === null)
          .map(text),
        dialogs: dialogs.read(),
        screen: isLobby ? 'lobby' : elements.shown('prejoin') ? 'prejoin' : null,
        isKnocking: isLobby && (elements.shown('knocking') !== null || (join === null && store?.isKnocking === true)),
        nameBox: nameBox && { value: nameBox.value },
        join: join && {
          label: elements.label(join),
          isEnabled: !join.matches(':disabled, [aria-disabled="true"]'),
        },
        passwordBox: elements.find('passwordBox') !== null,
        passwordWrong: elements.shown('passwordWrong') !== null && elements.find('passwordBox') !== null,
        withPassword: elements.find('withPassword') !== null,
        loginBox: elements.shown('loginBox') !== null,
        launchWeb: elements.find('launchWeb') !== null,
        notices: notices(),
        leaveReason: reason ? text(reason) : null,
        overlay: overlay && {
          kind: overlay.matches(select('lightOverlay')) ? 'network' : 'error',
          text: text(overlay),
        },
        remoteTiles: all('remoteTile').length,
        toolbox: all('toolbox').length > 0,
        leaveControl: elements.find('leave') !== null,
        microphone: elements.device('microphone', store),
        camera: elements.device('camera', store),
        others: others(),
        areRoomsOpen: store?.areRoomsOpen,
        state: store && {
          isJoined: store.isJoined,
          wasJoined,
          failure: store.failure,
          waitsForModerator: store.waitsForModerator,
        },
        isMediaLost: isMediaLost(),
      }
    },
    reference: (ref: number): Element | null => dialogs.reference(ref),
  }
}
