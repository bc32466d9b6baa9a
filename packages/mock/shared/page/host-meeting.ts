/** One meeting on the host's page. Built once, then updated in place, so that focus and half-typed text stay. */
import { box, h } from './dom.ts'
import type { HostAction, HostMeeting, HostPerson, HostPlatform, PersonDeed } from './host-protocol.ts'

type Act = (action: HostAction) => Promise<boolean>

/** Explains states to people who do not know the platform. A state without an entry explains itself. */
const STATES: Record<string, string> = {
  none: 'the link is not opened yet',
  loading: 'the page is loading',
  devicePrompt: 'the page asks about microphone and camera',
  signinPromo: 'the page suggests to sign in',
  greenRoom: 'on the pre-join page: the bot has to enter its name',
  joining: 'the bot asked to join',
  lobby: 'in the waiting room',
  suspected: 'in the waiting room, among the suspected threats',
  waitingForHost: 'waiting for the host to come',
  consent: 'asked for consent to the recording',
  call: 'in the call',
  reconnecting: 'lost the connection',
  alonePrompt: 'asked whether it is still there',
  closed: 'the page was closed',
  left: 'left',
  denied: 'was denied',
  removed: 'was removed',
  hostEnded: 'the meeting is over',
}

export class MeetingCard {
  readonly root: HTMLElement
  private readonly act: Act
  private readonly meeting: { platform: string; code: string }
  private readonly state = h('strong')
  private readonly bot = h('p', { class: 'bot' })
  private readonly people = h('ul', { class: 'people', 'aria-label': 'People' })
  private readonly rows = new Map<string, PersonRow>()
  private readonly chat = h('ol', { class: 'chat', 'aria-label': 'Chat', 'aria-live': 'polite' })
  private readonly log = h('ol', { class: 'log' })
  private readonly sender = h('select', { 'aria-label': 'Who writes' })
  private readonly whenWaiting: HTMLButtonElement[] = []
  private readonly whenInCall: HTMLButtonElement[] = []
  private shownChat = 0

  constructor(meeting: HostMeeting, platform: HostPlatform, act: Act) {
    this.act = act
    const { code } = meeting
    const which = { platform: meeting.platform, code }
    this.meeting = which
    const title = `title-${meeting.platform}-${code}`
    this.root = h(
      'article',
      { 'aria-labelledby': title },
      h('h2', { id: title }, code, h('small', `${platform.title}, ${meeting.scenario}`)),
      commandLine('Send a bot', `standin join ${meeting.url} ${platform.mapHost}`),
      h(
        'details',
        h('summary', 'Open the meeting in your own Chromium'),
        commandLine('Browser', `chromium --user-data-dir=/tmp/mock-meet ${platform.browserFlags} ${meeting.url}`),
      ),
      h('p', { class: 'state', role: 'status' }, 'The bot: ', this.state),
      this.bot,
      box(
        'row',
        this.button('Admit', { act: 'admit', ...which }, this.whenWaiting, 'main'),
        this.button('Deny', { act: 'deny', ...which }, this.whenWaiting),
        this.button('Remove bot', { act: 'remove', ...which }, this.whenInCall),
        this.button('Mute bot', { act: 'mute', ...which }, this.whenInCall),
        this.button('Lose connection', { act: 'lose', ...which }, this.whenInCall),
        this.button('Regain connection', { act: 'regain', ...which }, this.whenInCall),
        this.button('Flash and beep', { act: 'flash', ...which, on: true }),
        this.button('Stop flashing', { act: 'flash', ...which, on: false }),
        this.button('End meeting for all', { act: 'end', ...which }, undefined, 'danger'),
      ),
      this.accessForm(meeting.accessModes),
      this.showForm(meeting.showable),
      h('h3', 'People'),
      this.people,
      this.addForm(),
      h('h3', 'Chat'),
      this.chat,
      this.chatForm(),
      h('details', h('summary', 'Log of the page'), this.log),
    )
  }

  update(meeting: HostMeeting): void {
    this.state.textContent = `${meeting.state}${STATES[meeting.state] ? ` – ${STATES[meeting.state]}` : ''}`
    const isInCall = meeting.phase === 'call'
    for (const button of this.whenWaiting) button.disabled = meeting.phase !== 'waiting'
    for (const button of this.whenInCall) button.disabled = !isInCall
    this.bot.textContent = describeBot(meeting, isInCall)
    this.updatePeople(meeting.people)
    for (const line of meeting.chat.slice(this.shownChat)) {
      const time = new Date(line.at).toLocaleTimeString()
      const sender = line.isBot ? `${line.sender} (bot)` : line.sender
      this.chat.append(h('li', { class: line.isBot ? 'from-bot' : '' }, h('b', sender), ` ${time} `, line.text))
    }
    this.shownChat = meeting.chat.length
    this.log.replaceChildren(
      ...meeting.log.map(({ at, text }) => h('li', `${new Date(at).toLocaleTimeString()} ${text}`)),
    )
  }

  private updatePeople(people: HostPerson[]): void {
    for (const [id, row] of this.rows) {
      if (people.some((person) => person.id === id)) continue
      row.root.remove()
      this.rows.delete(id)
    }
    for (const person of people) {
      let row = this.rows.get(person.id)
      if (!row) {
        row = new PersonRow(person, (what) => void this.act({ act: 'person', ...this.meeting, id: person.id, what }))
        this.rows.set(person.id, row)
        this.people.append(row.root)
      }
      row.update(person)
    }
    const ids = people.map(({ id }) => id).join()
    if (this.sender.dataset.ids === ids) return
    this.sender.dataset.ids = ids
    this.sender.replaceChildren(...people.map(({ id, name }) => h('option', { value: id }, name)))
  }

  private button(label: string, action: HostAction, group?: HTMLButtonElement[], look?: string): HTMLButtonElement {
    const button = h('button', { type: 'button', class: look }, label)
    button.addEventListener('click', () => void this.act(action))
    group?.push(button)
    return button
  }

  private showForm(showable: readonly string[]): HTMLElement {
    const select = h(
      'select',
      { 'aria-label': 'What to show' },
      ...showable.map((what) => h('option', { value: what }, what)),
    )
    return formOf([select, h('button', { type: 'submit' }, 'Show to the bot')], () =>
      this.act({ act: 'show', ...this.meeting, what: select.value }),
    )
  }

  private accessForm(accessModes: readonly string[]): HTMLElement {
    const select = h(
      'select',
      { 'aria-label': 'Access mode' },
      ...accessModes.map((mode) => h('option', { value: mode }, mode)),
    )
    return formOf([select, h('button', { type: 'submit' }, 'Use from the next join on')], () =>
      this.act({ act: 'access', ...this.meeting, access: select.value }),
    )
  }

  private addForm(): HTMLElement {
    const name = h('input', {
      'aria-label': 'Name of a new person',
      placeholder: 'Name',
      maxlength: 60,
      required: true,
    })
    const camera = h('input', { type: 'checkbox', checked: true })
    return formOf(
      [name, h('label', camera, ' with camera'), h('button', { type: 'submit' }, 'Add person')],
      async () => {
        const added = await this.act({ act: 'add', ...this.meeting, name: name.value, camera: camera.checked })
        if (added) name.value = ''
      },
    )
  }

  private chatForm(): HTMLElement {
    const text = h('input', { 'aria-label': 'Message', placeholder: 'Message', maxlength: 500, required: true })
    const enabled = h('input', { type: 'checkbox', checked: true })
    enabled.addEventListener('change', () => void this.act({ act: 'chat', ...this.meeting, enabled: enabled.checked }))
    return formOf(
      [
        this.sender,
        text,
        h('button', { type: 'submit' }, 'Say'),
        this.button('Edit last message', { act: 'message', ...this.meeting, what: 'edit' }),
        this.button('Delete last message', { act: 'message', ...this.meeting, what: 'delete' }),
        h('label', enabled, ' participants may send messages'),
      ],
      async () => {
        const said = await this.act({ act: 'say', ...this.meeting, id: this.sender.value, text: text.value })
        if (said) text.value = ''
      },
    )
  }
}

class PersonRow {
  readonly root: HTMLElement
  private readonly name = h('span', { class: 'name' })
  private readonly speak: HTMLButtonElement
  private readonly camera: HTMLButtonElement
  private readonly share: HTMLButtonElement
  private readonly hand: HTMLButtonElement

  constructor(person: HostPerson, change: (what: PersonDeed) => void) {
    const button = (label: string, what: PersonDeed) => {
      const made = h('button', { type: 'button' }, label)
      made.addEventListener('click', () => change(what))
      return made
    }
    this.speak = button('Speak', 'speak')
    this.camera = button('Camera', 'camera')
    this.share = button('Share screen', 'share')
    this.hand = button('Raise hand', 'hand')
    const switches = [this.speak, this.camera, this.share, this.hand]
    this.root = h('li', this.name, ...switches, button('React 👏', 'react'), button('Leave', 'leave'))
    this.update(person)
  }

  update(person: HostPerson): void {
    this.name.textContent = person.isHost ? `${person.name} (host)` : person.name
    setPressed(this.speak, person.isSpeaking, 'Stop speaking', 'Speak')
    setPressed(this.camera, person.camera, 'Camera off', 'Camera on')
    setPressed(this.share, person.isSharing, 'Stop sharing', 'Share screen')
    setPressed(this.hand, person.isHandRaised, 'Lower hand', 'Raise hand')
    this.root.classList.toggle('speaking', person.isSpeaking)
  }
}

function setPressed(button: HTMLButtonElement, isOn: boolean, whenOn: string, whenOff: string): void {
  button.textContent = isOn ? whenOn : whenOff
  button.classList.toggle('on', isOn)
}

function describeBot(meeting: HostMeeting, isInCall: boolean): string {
  if (meeting.botName === null) return ''
  const { audioPackets, videoPackets, audioIsSilent } = meeting.sent
  const sound = audioIsSilent === null ? '' : audioIsSilent ? ', silent' : ', with sound'
  const sent = isInCall ? `; sent ${audioPackets} packets of sound${sound} and ${videoPackets} of video` : ''
  const devices = `microphone ${meeting.microphoneOn ? 'on' : 'off'}, camera ${meeting.cameraOn ? 'on' : 'off'}`
  return `Calls itself “${meeting.botName}”; ${devices}${sent}.`
}

function commandLine(label: string, text: string): HTMLElement {
  const copy = h('button', { type: 'button' }, 'Copy')
  copy.addEventListener('click', () => {
    void navigator.clipboard.writeText(text).then(
      () => {
        copy.textContent = 'Copied'
      },
      () => {
        copy.textContent = 'Select and copy by hand'
      },
    )
  })
  return box('command', h('span', label), h('code', { tabindex: 0 }, text), copy)
}

function formOf(children: HTMLElement[], submit: () => Promise<unknown>): HTMLElement {
  const form = h('form', { class: 'row' }, ...children)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  return form
}
