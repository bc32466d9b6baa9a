/** The host's page: start meetings, see what the bot does, and play all other people. */
import { box, h } from './dom.ts'
import { MeetingCard } from './host-meeting.ts'
import type { HostAction, HostFacts, HostState } from './host-protocol.ts'

const STYLES = `
:root{color-scheme:light dark;--line:light-dark(#d5d7db,#3c4043);--card:light-dark(#fff,#1e1f22);--quiet:light-dark(#555a61,#a8adb5);--accent:light-dark(#0b57d0,#a8c7fa);--on-accent:light-dark(#fff,#062e6f);--danger:light-dark(#b3261e,#f2b8b5)}
body{margin:0;background:light-dark(#f4f5f7,#131416);color:light-dark(#1b1c1f,#e6e8eb);font:16px/1.5 system-ui,sans-serif}
main{max-width:960px;margin:0 auto;padding:24px 16px}
h1{margin:0 0 4px;font-size:26px}
h2{margin:0 0 12px;font-size:20px;display:flex;gap:12px;align-items:baseline;flex-wrap:wrap;overflow-wrap:anywhere}
h2 small{font-weight:400;color:var(--quiet)}
h3{margin:20px 0 8px;font-size:16px}
article,.starter{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px;margin:16px 0}
.starter,.row{display:flex;flex-wrap:wrap;gap:8px;align-items:center}
.row{margin:12px 0}
.field{display:inline-flex;gap:8px;align-items:center}
.about{flex-basis:100%;margin:4px 0 0;color:var(--quiet)}
button,select,input{font:inherit;color:inherit;padding:6px 12px;border:1px solid var(--line);border-radius:8px;background:var(--card)}
input[type=number]{width:5em}
button{cursor:pointer}
button:disabled{opacity:.45;cursor:default}
button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button.danger{color:var(--danger);border-color:var(--danger)}
button.on{border-color:var(--accent);color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.notice:not(:empty){color:var(--danger);border:1px solid var(--danger);border-radius:8px;padding:8px 12px}
.empty,.bot{color:var(--quiet)}
.state{margin:16px 0 0;font-size:18px}
.bot{margin:0;min-height:1.5em}
.command{display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:8px;align-items:center;margin:8px 0}
.command code{overflow-x:auto;white-space:nowrap;padding:8px;border:1px solid var(--line);border-radius:8px;font-size:13px}
ul,ol{list-style:none;margin:0;padding:0}
.people li{display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:6px 0;border-bottom:1px solid var(--line)}
.people .name{flex:1;min-width:10em;overflow-wrap:anywhere}
.people li.speaking .name{font-weight:600;color:var(--accent)}
.chat{max-height:220px;overflow:auto;overflow-wrap:anywhere}
.chat .from-bot b{color:var(--accent)}
.log{max-height:260px;overflow:auto;font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
`

function addHostStyles(): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLES)
  document.adoptedStyleSheets = [sheet]
}

const facts = JSON.parse(document.getElementById('facts')?.textContent ?? '{}') as HostFacts
const notice = h('p', { role: 'status', class: 'notice' })
const cards = new Map<string, MeetingCard>()
const list = box('meetings')
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
    h('h1', facts.platforms.length === 1 ? `Mock ${facts.platforms[0]?.title}` : 'Mock meetings'),
    h('p', 'You are the host. Start a meeting, send a bot to its link, and decide what happens.'),
    starter(),
    notice,
    empty,
    list,
  ),
)
new EventSource('/events').addEventListener('message', ({ data }: MessageEvent<string>) =>
  show(JSON.parse(data) as HostState),
)
