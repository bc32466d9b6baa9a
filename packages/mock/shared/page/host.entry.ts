/** The host's page: start meetings, see what the bot does, and play all other people. */
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
  const platforms = h(
    'select',
    { id: 'platform' },
    ...facts.platforms.map(({ name, title }) => h('option', { value: name }, title)),
  )
  const scenarios = h('select', { id: 'scenario' })
  const speed = h('input', { id: 'speed', type: 'number', min: 0.1, max: 100, step: 'any', value: 1 })
  const about = h('p', { class: 'about', 'aria-live': 'polite' })
  const platform = () => facts.platforms.find(({ name }) => name === platforms.value)
  const describe = () => {
    about.textContent = platform()?.scenarios.find(({ name }) => name === scenarios.value)?.about ?? ''
  }
  const list = () => {
    const options = platform()?.scenarios.map(({ name }) =>
      h('option', { value: name, selected: name === 'waiting-room' }, name),
    )
    scenarios.replaceChildren(...(options ?? []))
    describe()
  }
  platforms.addEventListener('change', list)
  scenarios.addEventListener('change', describe)
  list()
  const form = h(
    'form',
    { class: 'starter' },
    facts.platforms.length > 1 && field('Platform', platforms),
    field('Scenario', scenarios),
    field('Speed', speed),
    h('button', { type: 'submit', class: 'main' }, 'Start meeting'),
    about,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void act({
      act: 'open',
      platform: platforms.value,
      scenario: scenarios.value,
      speed: Number(speed.value) || 1,
    })
  })
  return form
}

function field(label: string, control: HTMLElement): HTMLElement {
  return h('span', { class: 'field' }, h('label', { for: control.id }, label), control)
}

/** The newest is first. */
function show({ meetings }: HostState): void {
  empty.hidden = meetings.length > 0
  const ids = meetings.map(({ platform, code }) => `${platform}/${code}`)
  for (const [id, card] of cards) {
    if (ids.includes(id)) continue
    card.root.remove()
    cards.delete(id)
  }
  meetings.forEach((meeting, index) => {
    const id = ids[index] ?? ''
    const platform = facts.platforms.find(({ name }) => name === meeting.platform)
    let card = cards.get(id)
    if (!card && platform) {
      card = new MeetingCard(meeting, platform, act)
      cards.set(id, card)
      list.prepend(card.root)
    }
    card?.update(meeting)
  })
}

addHostStyles()
document.body.append(
  h(
    'main',
    {},
    h('h1', {}, facts.platforms.length === 1 ? `Mock ${facts.platforms[0]?.title}` : 'Mock meetings'),
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
