/** Microphone and camera as the pre-join page shows them: the label names the action. */
import type { DeviceKind } from '../../shared/page/devices.ts'
import { h, setAttribute } from '../../shared/page/dom.ts'
import { svgIcon, type UiContext, zmButton } from './context.ts'
import { CLASS, ID, LABEL } from './table.ts'

const LOOKS = {
  microphone: {
    id: ID.previewAudio,
    on: { label: LABEL.mute, icon: 'SvgAudioUnmute' },
    off: { label: LABEL.unmute, icon: 'SvgAudioMute' },
    none: LABEL.joinAudio,
    more: LABEL.moreAudio,
  },
  camera: {
    id: ID.previewVideo,
    on: { label: LABEL.stopVideo, icon: 'SvgVideoOn' },
    off: { label: LABEL.startVideo, icon: 'SvgVideoOff' },
    none: LABEL.startVideo,
    more: LABEL.moreVideo,
  },
} as const

export interface DeviceButton {
  root: HTMLElement
  /** Ends the spinner: from now on the button shows the device. */
  settle(): void
  close(): void
}

export function previewDeviceButton({ devices, words }: UiContext, kind: DeviceKind): DeviceButton {
  const look = LOOKS[kind]
  let settled = false
  const more = h('button', { type: 'button', class: CLASS.previewToggle, 'aria-label': words(look.more) })
  const root = zmButton({ id: look.id, class: CLASS.previewControl }, (event) => {
    if (settled && !(event.target as Element).closest(`.${CLASS.previewToggle}`)) {
      void devices.set(kind, !devices.isOn(kind))
    }
  })
  const show = () => {
    const state = devices.isOn(kind) ? look.on : look.off
    const label = words(devices.exists(kind) ? state.label : look.none)
    setAttribute(root, 'aria-label', label)
    const icon = settled ? svgIcon(state.icon) : h('i', { class: 'preview-spinner' })
    root.replaceChildren(icon, h('span', {}, label), more)
  }
  const stop = devices.watch(show)
  return {
    root: h('div', { class: 'preview-control-slot' }, root),
    settle() {
      settled = true
      show()
    },
    close: stop,
  }
}
