/**
 * The mock Teams page, in both of its skins. The server decides what it shows; the page builds it, behaves like the real
 * one, and reports what was done to it.
 */

import { Devices } from '../../shared/page/devices.ts'
import type { Shown } from '../../shared/page/dom.ts'
import { classNames, h } from '../../shared/page/dom.ts'
import { watchInput } from '../../shared/page/input-watch.ts'
import { obey } from '../../shared/page/obey.ts'
import { keepNetworkBusy, trustOwnScripts } from '../../shared/page/page-habits.ts'
import { randomOf } from '../../shared/page/random.ts'
import { openLink } from '../../shared/page/server-link.ts'
import { type CallPage, callPage } from './call.ts'
import { type Context, part } from './context.ts'
import { Dialogs } from './dialogs.ts'
import { Media } from './media.ts'
import { preJoinPage } from './pre-join.ts'
import type { FromPage, Given, ToPage, View } from './protocol.ts'
import { openPushSocket } from './pushes.ts'
import { retryScreen } from './retry-screen.ts'
import * as screens from './screens.ts'
import { addStyles } from './style.ts'
import { wordsOf } from './words.ts'

/** Put in front of this script by the server; gone when the script has run. */
declare const __given: Given

function start({ settings, socketPath, token }: Given): void {
  const link = openLink<FromPage, ToPage>(socketPath)
  const { say } = link
  // Unlike the choices of the scenario, classes and ids are other ones at each load.
  const cls = classNames(Math.floor(Math.random() * 1e6))
  const devices = new Devices(settings.devices)
  const media = new Media(settings, devices, say)
  const layers = h('div')
  const context: Context = {
    settings,
    random: randomOf(settings.seed),
    cls,
    words: wordsOf(settings.lang, settings.typographic),
    say,
    devices,
    name: { value: '' },
    layers,
  }
  const dialogs = new Dialogs(context)
  const content = h('div')
  addStyles(cls)
  document.documentElement.lang = settings.lang
  watchInput({ ...settings, say, nameOf })
  document.body.replaceChildren(
    h('div', { id: 'app', class: cls('app') }, part('pre-core-title-bar', { class: cls('titleBar') }), content),
    layers,
  )
  trustOwnScripts()
  keepNetworkBusy('/api/mt/beta/ping')
  openPushSocket(token)

  const botToken = botTokenOf(location.hash)
  if (botToken !== null) say({ say: 'token', token: botToken })

  let shown: Shown | null = null
  let call: CallPage | null = null

  const showView = (view: View) => {
    shown?.close?.()
    call = null
    if (view.name === 'call') {
      call = callPage(context, media, token, view)
      shown = call
    } else {
      // The connection of a call ends with the call. The pre-join page has none yet.
      if (view.name === 'retry' || view.name === 'end' || view.name === 'e2ee' || view.name === 'blank') media.stop()
      shown = screenOf(context, view)
    }
    content.replaceChildren(shown.root)
  }

  link.listen((message) => {
    if (message.do === 'view') showView(message.view)
    else if (message.do === 'dialog') dialogs.show(message.dialog)
    else if (message.do === 'closeDialogs') dialogs.closeAll()
    else if (!obey(message, { connection: media, devices })) call?.receive(message)
  })
}

function screenOf(context: Context, view: Exclude<View, { name: 'call' }>): Shown {
  switch (view.name) {
    case 'launcher':
      return screens.launcherPage(context, view.appLink, view.probe)
    case 'splash':
      return screens.splashPage(context)
    case 'malformed':
      return screens.malformedPage(context)
    case 'permissionGate':
      return screens.permissionGate(context)
    case 'preJoin':
      return preJoinPage(context)
    case 'connecting':
      return screens.connectingPage(context)
    case 'lobby':
      return screens.lobbyPage(context, view.text)
    case 'wall':
      return screens.wallPage(context, view.text)
    case 'retry':
      return retryScreen(context, view.kind, view.meetingId, view.passcode)
    case 'end':
      return screens.endPage(context, view.heading)
    case 'blank':
      return { root: h('div') }
    case 'e2ee':
      return screens.encryptionPage(context)
  }
}

/** The documents between the link and the page have other addresses, so the token is kept beside them. */
function botTokenOf(hash: string): string | null {
  const token = /[#&]token=([^&]+)/.exec(hash)?.[1]
  if (token !== undefined) sessionStorage.setItem('botToken', token)
  return sessionStorage.getItem('botToken')
}

/** In the log things are called by the marks that survive releases. */
function nameOf(element: Element): string {
  const label = element.getAttribute('aria-label') ?? element.textContent?.trim()
  return element.getAttribute('data-tid') ?? (element.id || label || element.tagName)
}

start(__given)
