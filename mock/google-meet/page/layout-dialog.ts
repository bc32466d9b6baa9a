/** "Change layout" or "Adjust view": how tiles are arranged. */

import { h } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'
import { showModal } from './dialogs.ts'

const LAYOUTS = ['Auto (dynamic)', 'Tiled', 'Spotlight', 'Sidebar']

let tipShown = false

export function openLayoutDialog(context: Context): void {
  const { words, say, settings } = context
  const modal = showModal(context, [
    h('h2', {}, words(settings.layoutLabel)),
    ...LAYOUTS.map((layout, index) => {
      const radio = h('input', { type: 'radio', name: 'preferences', value: index, checked: index === 0 })
      radio.addEventListener('change', () => {
        document.documentElement.style.setProperty('--layout', `"${layout}"`)
        say({ say: 'log', event: 'rpc', target: 'layout', detail: layout })
      })
      const suffix = layout === 'Tiled' ? h('span', {}, words('Shows everyone at the same size')) : null
      return h('label', {}, radio, h('span', {}, words(layout)), suffix)
    }),
    h(
      'div',
      {},
      words('Tiles'),
      h('input', { type: 'range', min: 6, max: 49, value: 9, 'aria-label': words('Tiles') }),
    ),
    button(context, { label: words('Close'), icon: 'close' }, () => modal.close()),
  ])
  if (settings.layoutTip && !tipShown) {
    tipShown = true
    context.openDialog('layout-tip')
  }
}
