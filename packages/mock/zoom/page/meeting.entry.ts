/**
 * The web client's page. Its server decides what it shows; the generator builds it, the page behaves like the real one
 * and reports what was done to it. It adds no global.
 */
import { Connection } from '../../shared/page/connection.ts'
import { Devices } from '../../shared/page/devices.ts'
import { watchInput } from '../../shared/page/input-watch.ts'
import { obey } from '../../shared/page/obey.ts'
import { keepNetworkBusy, trustOwnScripts } from '../../shared/page/page-habits.ts'
import { openLink } from '../../shared/page/server-link.ts'
import type { FromPage, ToPage, UiSettings } from './protocol.ts'
import { MeetingSound } from './sound.ts'
import { createMeetingUi } from './ui.ts'

/** Put in front of this script by the server; gone when the script has run. */
declare const __given: { settings: PageSettings; socketPath: string; token: string }

export interface PageSettings extends UiSettings {
  /** Inside the frame of the web app. */
  isFramed: boolean
  devices: 'ask' | 'none'
  /** Numbers of first clicks without effect, by the beginning of their target's name. */
  swallow: Record<string, number>
  workletPath: string
  pollPath: string
}

const AUDIO_RECEIVERS = 4
const VIDEO_RECEIVERS = 9

function start({ settings, socketPath }: typeof __given): void {
  const link = openLink<FromPage, ToPage>(socketPath)
  const say = (message: FromPage) => {
    if (message.say === 'dialog' && message.dialog === 'disclaimer' && message.choice === 'agree') {
      void fetch('/wc/saveMeetingDisclaimer', { method: 'POST' })
    }
    link.say(message)
  }
  const devices = new Devices(settings.devices)
  const sound = new MeetingSound(settings.playback, settings.workletPath)
  const audioReceivers = settings.playback === 'webrtc' ? AUDIO_RECEIVERS : 0
  const plan = { audioReceivers, videoReceivers: VIDEO_RECEIVERS, channels: [] }
  const connection = new Connection(plan, devices, say, sound.events)
  const root = document.getElementById('root')
  if (!root) throw new Error('The document has no root')
  const ui = createMeetingUi({ root, settings, devices, pictures: connection, sound, say })
  watchInput({ seed: settings.seed, hydrationMs: [0, 0], swallow: settings.swallow, say })
  trustOwnScripts()
  keepNetworkBusy(settings.pollPath)
  const postToParent = (event: string) => {
    const message = { type: 'wc', message: { sender: 'wc', event, data: {} } }
    if (settings.isFramed) window.parent.postMessage(message, location.origin)
    else new BroadcastChannel('PWA_WEBCLIENT_BC_CHANNEL').postMessage(message)
  }
  if (settings.isFramed) window.parent.postMessage({ type: 'join', event: 'wc_loaded' }, location.origin)

  link.listen(
    (message) => {
      if (message.do === 'view' && message.view.name === 'meeting') connection.start()
      if (message.do === 'replaceState') history.replaceState(null, '', message.url)
      else if (message.do === 'postToParent') postToParent(message.event)
      else if (!ui.receive(message)) obey(message, { connection, devices })
    },
    (samples) => sound.playSamples(samples),
  )
}

start(__given)
