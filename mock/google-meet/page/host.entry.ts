/** The host's page: start meetings, see what the bot does, and be everybody else. */
import { h } from './dom.ts'
import { MeetingCard } from './host-meeting.ts'
import type { HostAction, HostFacts, HostState } from './host-protocol.ts'
import { addHostStyles } from './host-style.ts'

const facts = JSON.parse(document.getElementById('facts')?.textContent ?? '{}') as HostFacts
const notice = h('p', { role: 'status', class: 'notice' })
const cards = new Map<string, MeetingCard>()
const list = h('div', { class: 'meetings' })
const empty = h('p', { class: 'empty' }, 'No meeting yet. Start one above.')

async function act(action: HostAction): Promise<boolean> {
  const answer = await fetch('/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(action),
  })
  const { problem } = (await answer.json()) as { problem?: string }
  notice.textContent = problem ?? ''
  return answer.ok
}

function starter(): HTMLElement {
  const select = h(
    'select',
    { id: 'scenario' },
    ...facts.scenarios.map(({ name }) => h('option', { value: name, selected: name === 'waiting-room' }, name)),
  )
  const speed = h('input', { id: 'speed', type: 'number', min: 0.1, max: 100, step: 'any', value: 1 })
  const about = h('p', { class: 'about', 'aria-live': 'polite' })
  const describe = () => {
    about.textContent = facts.scenarios.find(({ name }) => name === select.value)?.about ?? ''
  }
  select.addEventListener('change', describe)
  describe()
  const form = h(
    'form',
    { class: 'starter' },
    h('label', { for: 'scenario' }, 'Scenario'),
    select,
    h('label', { for: 'speed' }, 'Speed'),
    speed,
    h('button', { type: 'submit', class: 'main' }, 'Start meeting'),
    about,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void act({ act: 'open', scenario: select.value, speed: Number(speed.value) || 1 })
  })
  return form
}

function show({ meetings }: HostState): void {
  empty.hidden = meetings.length > 0
  for (const [code, card] of cards) {
    if (meetings.some((meeting) => meeting.code === code)) continue
    card.root.remove()
    cards.delete(code)
  }
  for (const meeting of [...meetings].reverse()) {
    let card = cards.get(meeting.code)
    if (!card) {
      card = new MeetingCard(meeting, facts, act)
      cards.set(meeting.code, card)
      list.prepend(card.root)
    }
    card.update(meeting)
  }
}

addHostStyles()
document.body.append(
  h(
    'main',
    {},
    h('h1', {}, 'Mock Google Meet'),
    h('p', {}, 'You are the host. Start a meeting, send a bot to its link, and decide what happens.'),
    starter(),
    notice,
    empty,
    list,
  ),
)
new EventSource('/events').addEventListener('message', ({ data }: MessageEvent<string>) =>
  show(JSON.parse(data) as HostState),
)
