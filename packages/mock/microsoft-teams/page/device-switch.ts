/** The switches for microphone and camera on the pre-join page. */
import type { DeviceKind } from '../../shared/page/devices.ts'
import { h, setAttribute } from '../../shared/page/dom.ts'
import { type Context, randomId } from './context.ts'

const LOOKS = {
  microphone: { tid: 'toggle-mute', missing: 'Mic is not available', on: 'Mute mic', off: 'Unmute mic' },
  camera: { tid: 'toggle-video', missing: 'Camera is not available', on: 'Turn camera off', off: 'Turn camera on' },
} as const

/**
 * A checkbox whose live `checked` is the state. The attribute never changes, and `data-cid` may have either meaning
 * (docs/platform-notes/microsoft-teams.md#microphone-and-camera-switches). Disabled until devices are known.
 */
export function deviceSwitch(context: Context, kind: DeviceKind): { root: HTMLElement; close(): void } {
  const { cls, devices, settings, random, words } = context
  const { tid, missing, on, off } = LOOKS[kind]
  const id = randomId(random, 'switch')
  const note = h('span', { id: `${tid}-disabled-description`, hidden: true }, words(missing))
  const input = h('input', {
    type: 'checkbox',
    role: 'switch',
    id,
    'data-tid': tid,
    class: `fui-Switch__input ${cls('switchInput')}`,
  })
  const root = h(
    'label',
    { for: id, class: `fui-Switch ${cls('switch')}` },
    h('span', { class: cls('switchName'), 'aria-hidden': 'true' }, kind === 'microphone' ? '●' : '▣'),
    input,
    h('span', { class: `fui-Switch__indicator ${cls('switchTrack')}`, 'aria-hidden': 'true' }),
    note,
  )
  input.addEventListener('change', () => void devices.set(kind, input.checked))
  const stop = devices.watch(() => {
    const exists = devices.exists(kind)
    const isOn = devices.isOn(kind)
    input.disabled = !exists
    input.checked = isOn
    setAttribute(input, 'data-cid', `${tid}-${isOn === settings.cidMeansOn}`)
    setAttribute(input, 'title', words(exists ? (isOn ? on : off) : missing))
    setAttribute(input, 'aria-label', words(kind === 'microphone' ? 'Microphone' : isOn ? 'Camera' : 'Camera is off'))
    setAttribute(input, 'aria-describedby', exists ? undefined : note.id)
  })
  return { root, close: stop }
}
