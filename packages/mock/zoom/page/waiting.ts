/**
 * Waiting for the host, in the waiting room, or put back into it (docs/platform-notes/zoom.md#waiting-states). All are
 * inside `.meeting-app`.
 */
import { h } from '../../shared/page/dom.ts'
import { type Shown, type UiContext, zmButton } from './context.ts'
import type { View } from './protocol.ts'
import { CLASS, ID, TEXT } from './table.ts'

export function waitingPage(
  { settings, words, say }: UiContext,
  { tips, isOnHold, look }: Extract<View, { name: 'waiting' }>,
): Shown {
  const leave = zmButton({ class: CLASS.waitingLeave }, () => say({ say: 'leave', how: 'waiting' }), words(TEXT.leave))
  const lines = tips.map((text) => h('span', {}, words(text)))
  if (look === 'old') {
    const box = h('div', { class: CLASS.oldWaiting }, h('div', { class: CLASS.oldWaitingText }, ...lines), leave)
    return { root: h('div', { id: ID.app, class: CLASS.app }, box) }
  }
  const information = h(
    'div',
    { class: CLASS.waitingInformation },
    h('div', { class: CLASS.waitingTopic }, settings.topic),
    h('div', { class: CLASS.waitingTip }, ...lines),
    !isOnHold && h('div', { class: CLASS.waitingDate }, new Date().toLocaleDateString(settings.lang)),
  )
  const room = h('div', { class: CLASS.waiting }, h('div', { class: CLASS.waitingMain }, information), leave)
  const inside = isOnHold ? h('div', { class: CLASS.onHold }, h('div', { class: CLASS.onHoldMain }, room)) : room
  return { root: h('div', { id: ID.app, class: CLASS.app }, inside) }
}

/** The content behind the layer while the page joins: an empty place for pictures, which is no meeting. */
export function joiningPage({ words }: UiContext): Shown {
  const behind = h(
    'div',
    { id: ID.app, class: CLASS.app },
    h('div', { id: ID.shareLayout, class: CLASS.shareLayout }, document.createElement('video-player')),
  )
  return { root: h('div', {}, behind, loadingLayer(words(TEXT.joining))) }
}

export function loadingLayer(text: string): HTMLElement {
  return h('div', { id: ID.loading }, h('div', { class: CLASS.joining }, h('i', { class: 'loading-dots' }), text))
}
