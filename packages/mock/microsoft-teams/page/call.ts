/** The call page: bar, tiles, one side pane, captions, notices. */

import type { Shown } from '../../shared/page/dom.ts'
import { box, h } from '../../shared/page/dom.ts'
import { publishCall } from './call-object.ts'
import { Captions } from './captions.ts'
import { ChatPane } from './chat-pane.ts'
import type { Context } from './context.ts'
import { part } from './context.ts'
import { bannerOf, toastOf } from './dialogs.ts'
import type { Media } from './media.ts'
import { PeoplePane } from './people-pane.ts'
import type { PagePerson, ToPage, View } from './protocol.ts'
import { chatBatches, fetchRoster } from './pushes.ts'
import { SidePane } from './side-pane.ts'
import { TileArea } from './tile-area.ts'
import { Toolbar } from './toolbar.ts'

export interface CallPage extends Shown {
  receive(message: ToPage): void
}

export function callPage(
  context: Context,
  media: Media,
  token: string,
  view: Extract<View, { name: 'call' }>,
): CallPage {
  const { cls, settings, layers, words } = context
  const tileArea = new TileArea(context, media)
  const captions = new Captions(context)
  const people = new PeoplePane(context)
  const chat = new ChatPane(context)
  const pane = new SidePane(context)
  const published = publishCall(settings, view, captions)
  const relayout = () => {
    tileArea.rebuild()
    toolbar.relayout()
  }
  const toolbar = new Toolbar(context, {
    toggleChat: () => pane.toggle(chat),
    togglePeople: () => pane.toggle(people),
    captionItems: () => captions.items(),
    changeView: relayout,
    screen: media.screen,
  })
  const network = h('div', { class: cls('network'), 'aria-live': 'assertive' })
  const banners = box(cls('banners'))
  const toasts = box(cls('toasts'))
  const root = h(
    'div',
    { 'data-cid': 'call-screen-wrapper', id: 'call-screen-wrapper', class: cls('call') },
    part('app-layout-area--header', {}, toolbar.root),
    part('app-layout-area--main', { class: cls('main') }, tileArea.root, captions.place, network, pane.place),
  )
  tileArea.root.append(banners)
  layers.append(toasts)

  const show = (next: PagePerson[]) => {
    tileArea.show(next)
    toolbar.show(next)
    people.show(next)
    published.show(next)
    media.know(next)
  }
  const arrived = new Set<string>()
  const passBatch = chatBatches((line) => {
    const isNew = arrived.delete(line.clientId)
    if (isNew) chat.add(line)
    else chat.change(line)
  })
  show(view.people)
  media.start()
  void fetchRoster(view.callId, token)
  return {
    root,
    close() {
      toolbar.close()
      tileArea.close()
      captions.close()
      pane.close()
      published.withdraw()
      toasts.remove()
    },
    receive(message) {
      if (message.do === 'people') show(message.people)
      else if (message.do === 'speaking') tileArea.setSpeaking(message.mri, message.speaking)
      else if (message.do === 'chat') {
        arrived.add(message.line.clientId)
        passBatch([message.line])
      } else if (message.do === 'chatChange') passBatch([message.line])
      else if (message.do === 'chatEnabled') chat.setEnabled(message.enabled)
      else if (message.do === 'caption') captions.update(message.row, message.name, message.text)
      else if (message.do === 'banner') banners.replaceChildren(bannerOf(context, message.banner))
      else if (message.do === 'toast') {
        const toast = toastOf(context, words(message.text))
        toasts.append(toast)
        setTimeout(() => toast.remove(), settings.toastMs)
      } else if (message.do === 'network') {
        network.textContent = message.text === null ? '' : words(message.text)
        // Pushes of the meantime are lost; the snapshot has their content.
        if (message.text === null) void fetchRoster(view.callId, token)
      } else if (message.do === 'relayout') relayout()
      else if (message.do === 'marks') settings.marks = message.marks
    },
  }
}
