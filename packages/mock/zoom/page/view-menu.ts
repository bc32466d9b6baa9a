/** The menu that chooses the layout (docs/platform-notes/zoom.md#view-menu). */
import { h } from '../../shared/page/dom.ts'
import { type UiContext, zmButton } from './context.ts'
import type { MeetingView } from './protocol.ts'
import { CLASS, ID, LABEL, TEXT } from './table.ts'
import type { TileArea } from './tile-area.ts'

export interface ViewMenu {
  root: HTMLElement
  /** Other words while a screen is shared. */
  setSharing(sharing: boolean): void
}

export function viewMenu({ words, say }: UiContext, tileArea: TileArea): ViewMenu {
  let sharing = false
  const list = h('ul', { class: `${CLASS.darkDropdown} ${CLASS.viewMenu}`, role: 'menu' })
  const dropdown = h('div', { id: ID.viewDropdown, class: 'dropdown' })
  const close = () => {
    dropdown.classList.remove('show')
    list.remove()
  }
  const item = (text: string, run: () => void, checked = false) => {
    const link = h(
      'a',
      {
        class: `${CLASS.dropdownItem}${checked ? ` ${CLASS.viewChecked}` : ''}`,
        href: '#',
        role: 'menuitem',
        'aria-label': words(text),
      },
      words(text),
    )
    link.addEventListener('click', (event) => {
      event.preventDefault()
      run()
      close()
    })
    return h('li', link)
  }
  const layout = (text: string, view: MeetingView) =>
    item(
      text,
      () => {
        tileArea.setView(view)
        say({ say: 'view', view })
      },
      tileArea.view === view,
    )
  const fill = () =>
    list.replaceChildren(
      ...(sharing ? [item(TEXT.standardView, () => {}, true)] : []),
      layout(sharing ? TEXT.sideBySideSpeaker : TEXT.speakerView, 'speaker'),
      layout(sharing ? TEXT.sideBySideGallery : TEXT.galleryView, 'gallery'),
      layout(sharing ? TEXT.sideBySideMulti : TEXT.multiSpeakerView, 'multi-speaker'),
      item(TEXT.fullscreen, () => {}),
    )
  const button = zmButton(
    { class: CLASS.viewButton, 'aria-label': words(LABEL.view) },
    () => {
      if (list.isConnected) {
        close()
        return
      }
      fill()
      dropdown.append(list)
      dropdown.classList.add('show')
    },
    words(TEXT.view),
  )
  dropdown.append(button)
  return {
    root: dropdown,
    setSharing(next) {
      if (next === sharing) return
      sharing = next
      close()
    },
  }
}
