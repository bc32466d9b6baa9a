/** The toggles of microphone and camera, each with the arrow that opens the list of devices. */

import type { DeviceKind } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { box, h } from '../../shared/page/dom.ts'
import { type Context, toolButton } from './context.ts'
import type { TextName } from './words.ts'

const LABELS: Record<DeviceKind, { on: TextName; off: TextName; old: TextName; settings: TextName; id: string }> = {
  microphone: {
    on: 'toolbar.mute',
    off: 'toolbar.unmute',
    old: 'old.audio',
    settings: 'toolbar.audioSettings',
    id: 'audio-settings-button',
  },
  camera: {
    on: 'toolbar.videomute',
    off: 'toolbar.videounmute',
    old: 'old.video',
    settings: 'toolbar.videoSettings',
    id: 'video-settings-button',
  },
}

export function deviceToggles({ devices, words, settings }: Context): Shown {
  const toggles = (['microphone', 'camera'] as const).map((kind) => {
    const labels = LABELS[kind]
    const button = toolButton('', kind === 'microphone' ? '🎤' : '🎥', () => devices.set(kind, !devices.isOn(kind)))
    const stop = devices.watch(() => {
      const isOn = devices.isOn(kind)
      button.label(words(settings.labels === 'old' ? labels.old : isOn ? labels.on : labels.off))
      button.press(!isOn)
      button.enable(devices.exists(kind))
    })
    const arrow = h(
      'div',
      { id: labels.id, class: 'settings-button-small-icon', role: 'button', 'aria-label': words(labels.settings) },
      '▴',
    )
    return { root: box('settings-button-container', button.root, h('div', arrow)), stop }
  })
  return {
    root: box('device-toggles', ...toggles.map(({ root }) => root)),
    close: () => {
      for (const { stop } of toggles) stop()
    },
  }
}
