/** Menus of the toolbar: no nodes before they are opened, none after they are closed. */
import { type Child, h } from '../../shared/page/dom.ts'
import type { Context } from './context.ts'

export interface MenuItem {
  id?: string
  tid?: string
  text: string
  run?: () => void
  /** Opens another menu in its place. */
  submenu?: () => MenuItem[]
}

/** Opens the menu beside its opener, or closes it where it is open. */
export function toggleMenu(context: Context, opener: HTMLElement, items: () => (MenuItem | HTMLElement)[]): void {
  const { cls, layers } = context
  const open = layers.querySelector(`.${cls('menu')}`)
  open?.remove()
  if (open?.getAttribute('aria-labelledby') === opener.id) return
  const menu = h('div', { role: 'menu', 'aria-labelledby': opener.id, class: cls('menu') })
  const fill = (entries: (MenuItem | HTMLElement)[]) => {
    menu.replaceChildren(...entries.map((entry) => (entry instanceof HTMLElement ? entry : itemOf(entry))))
  }
  const itemOf = (item: MenuItem): HTMLElement => {
    const children: Child[] = [h('span', item.text)]
    const element = h(
      'div',
      { role: 'menuitem', tabindex: 0, id: item.id, 'data-tid': item.tid, class: `fui-MenuItem ${cls('menuItem')}` },
      ...children,
    )
    element.addEventListener('click', (event) => {
      event.stopPropagation()
      if (item.submenu) {
        fill(item.submenu())
        return
      }
      close()
      item.run?.()
    })
    return element
  }
  const close = () => {
    menu.remove()
    document.removeEventListener('keydown', byKey)
    document.removeEventListener('pointerdown', outside)
  }
  const byKey = (event: KeyboardEvent) => event.key === 'Escape' && close()
  const outside = (event: Event) => {
    const target = event.target as Node
    if (!menu.contains(target) && !opener.contains(target)) close()
  }
  document.addEventListener('keydown', byKey)
  document.addEventListener('pointerdown', outside)
  fill(items())
  layers.append(menu)
}
