/** The toggles of microphone and camera, and their keys. */
import type { DeviceKind, Devices } from '../../shared/page/devices.ts'
import { setAttribute } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'
import { icon } from './icons.ts'

const ICONS = { microphone: ['mic', 'mic_off'], camera: ['videocam', 'videocam_off'] } as const
const JSNAMES = { microphone: 'hw0c9', camera: 'psRWwc' } as const
const SHORTCUTS = { microphone: 'd', camera: 'e' } as const

/** Ctrl+D and Ctrl+E work everywhere on the page. */
export function useDeviceKeys(devices: Devices): void {
  document.addEventListener('keydown', (event) => {
    if (!event.ctrlKey || event.altKey) return
    if (event.key.toLowerCase() === 'd') void devices.set('microphone', !devices.isOn('microphone'))
    else if (event.key.toLowerCase() === 'e') void devices.set('camera', !devices.isOn('camera'))
    else return
    event.preventDefault()
  })
}

/** The microphone's or camera's toggle. Its label names the action; `data-is-muted` has the state. */
export function deviceToggle(context: Context, kind: DeviceKind, place: 'greenRoom' | 'call'): HTMLElement {
  const { devices, settings, words } = context
  const tag = place === 'call' ? 'button' : settings.toggleTag
  const shortcut = settings.seed % 3 === 0 ? ` (ctrl + ${SHORTCUTS[kind]})` : ''
  const element = button(
    context,
    { tag, cls: 'toggle', attributes: { jsname: JSNAMES[kind], 'data-tooltip': true } },
    () => void devices.set(kind, !devices.isOn(kind)),
  )
  devices.watch(() => {
    const on = devices.isOn(kind)
    const title = kind === 'microphone' ? 'Microphone' : 'Camera'
    const label = devices.exists(kind)
      ? words(`Turn ${on ? 'off' : 'on'} ${kind}`) + shortcut
      : `${title} problem. Show more info`
    setAttribute(element, 'aria-label', label)
    setAttribute(element, 'data-is-muted', on ? 'false' : 'true')
    element.replaceChildren(icon(ICONS[kind][on ? 0 : 1]))
  })
  return element
}
