/** The command palette (Ctrl-K) and the list of keys (?). */
import { signal, useSignal } from '@preact/signals'
import { Search } from 'lucide'
import { useEffect } from 'preact/hooks'
import { answerOf, type BotItem, sentenceOf, v2 } from '../api.ts'
import { ACCOUNT, GROUPS, isAllowed } from '../navigation.tsx'
import { navigate } from '../router.tsx'
import { changeTeam, may, me } from '../session.ts'
import { TEXTS } from '../texts.ts'
import { Dialog } from './dialog.tsx'
import { dateTime } from './format.ts'
import { Icon } from './icon.tsx'
import { toast } from './toasts.tsx'

const TITLE = 'Pages, actions and meetings'
const KEYS = 'Keyboard shortcuts'
const KEY_LIST = [
  ['Ctrl K', 'finds pages, actions and meetings'],
  ['?', 'shows this list'],
  ['k', 'plays and pauses a recording'],
  ['j, l', '10 seconds back and forward'],
  ['/', 'searches the transcript; Enter plays what was found'],
  ['arrows', 'on the lanes: 5 seconds; on tabs: the next tab'],
]
const ACTION = 'Action'
const PAUSE_MS = 200

const opened = signal<'palette' | 'keys' | null>(null)

/** Without `list`, which the types ask for: its options are those of the list box below it. */
const COMBOBOX: object = { role: 'combobox', 'aria-expanded': true, 'aria-controls': 'commands' }

interface Command {
  key: string
  title: string
  note: string
  run: () => void
}

export function PaletteButton() {
  return (
    <button
      type="button"
      class="search-button"
      onClick={() => {
        opened.value = 'palette'
      }}
    >
      <Icon of={Search} />
      Search <kbd class="of-keyboard">Ctrl K</kbd>
    </button>
  )
}

export function Palette() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        opened.value = 'palette'
      } else if (event.key === '?' && !isTyping) opened.value = 'keys'
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  if (opened.value === null) return null
  return (
    <Dialog
      key={opened.value}
      label={TITLE}
      onClose={() => {
        opened.value = null
      }}
    >
      {opened.value === 'keys' ? <Keys /> : <Commands />}
    </Dialog>
  )
}

function Keys() {
  return (
    <>
      <h2>{KEYS}</h2>
      <dl class="keys">
        {KEY_LIST.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function Commands() {
  const text = useSignal('')
  const bots = useSignal<readonly BotItem[]>([])
  const chosen = useSignal(0)
  useEffect(() => {
    if (text.value.length < 2) {
      bots.value = []
      return
    }
    const wanted = text.value
    const timer = setTimeout(async () => {
      const query = { bot_name: wanted, limit: 8 }
      const page = await answerOf(v2.GET('/v2/bots', { params: { query } })).catch(() => null)
      if (page !== null && text.peek() === wanted) bots.value = page.data
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text.value])
  const shown = [...pagesWith(text.value), ...bots.value.map(commandOf)]
  const place = Math.min(chosen.value, shown.length - 1)
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    opened.value = null
    command.run()
  }
  return (
    <>
      <input
        type="search"
        {...COMBOBOX}
        aria-activedescendant={shown[place] && `command-${place}`}
        aria-label={TITLE}
        placeholder="Page, action or name of a bot"
        autocomplete="off"
        autofocus
        onInput={(event) => {
          text.value = event.currentTarget.value.trim()
          chosen.value = 0
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') chosen.value = Math.min(place + 1, shown.length - 1)
          else if (event.key === 'ArrowUp') chosen.value = Math.max(place - 1, 0)
          else if (event.key === 'Enter') run(shown[place])
          else return
          event.preventDefault()
        }}
      />
      <div id="commands" role="listbox" aria-label={TITLE}>
        {shown.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the combobox choose
          <div
            key={command.key}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === place}
            onClick={() => run(command)}
          >
            <bdi>{command.title}</bdi> <span>{command.note}</span>
          </div>
        ))}
      </div>
      {shown.length === 0 && <p class="soft">Nothing was found.</p>}
    </>
  )
}

const commandOf = ({ bot_id, bot_name, created_at }: BotItem): Command => ({
  key: bot_id,
  title: bot_name,
  note: `Meeting, ${dateTime(created_at)}`,
  run: () => navigate(`/bots/${bot_id}`),
})

function pagesWith(text: string): Command[] {
  const commands: Command[] = [...GROUPS, { title: 'Settings', entries: [ACCOUNT] }].flatMap(
    ({ title: note, entries }) =>
      entries.filter(isAllowed).map((entry) => ({
        key: entry.title,
        title: entry.title,
        note,
        run: () => ('href' in entry ? location.assign(entry.href) : navigate(entry.to)),
      })),
  )
  const send = { key: 'send', title: TEXTS.sendBot, note: ACTION, run: () => navigate('/send') }
  const keys = {
    key: 'keys',
    title: KEYS,
    note: ACTION,
    run: () => {
      opened.value = 'keys'
    },
  }
  const { person_id: current, teams = [] } = me.value ?? {}
  const otherTeams = teams
    .filter(({ person_id }) => person_id !== current)
    .map(({ person_id, team }) => ({
      key: person_id,
      title: team,
      note: 'Change to this team',
      run: () => void changeTeam(person_id).catch((error) => toast(sentenceOf(error))),
    }))
  const wanted = text.toLocaleLowerCase()
  return [...(may('member') ? [send] : []), ...commands, ...otherTeams, keys].filter(({ title }) =>
    title.toLocaleLowerCase().includes(wanted),
  )
}
