/** Everything that has a time, in order: what was said and what was written; searched, and pressed to get there. */
import { clockTime } from './clock-time.ts'
import type { ReportData, ReportMessage } from './data.ts'
import { element } from './dom.ts'
import { besideText, marksOf, wordsBeside } from './message.ts'

interface Moment {
  at: number
  until: number
  kind: 'said' | 'spoke' | 'wrote' | 'signed'
  name: string
  text: string
  message?: ReportMessage
}

/** Turns alone tell little; where there is a transcript its utterances stand for them. Messages before the recording come first. */
export function momentsOf(data: Pick<ReportData, 'turns' | 'utterances' | 'chat' | 'signs'>): Moment[] {
  const spoken: Moment[] =
    data.utterances.length > 0
      ? data.utterances.map(({ from, to, name, text }) => ({ at: from, until: to, kind: 'said', name, text }))
      : data.turns.map(({ from, to, name }) => {
          return { at: from, until: to, kind: 'spoke', name, text: `spoke for ${clockTime(Math.max(1, to - from))}` }
        })
  const written = data.chat.map((message): Moment => {
    const at = message.at ?? 0
    return { at, until: at, kind: 'wrote', name: message.name, text: message.text, message }
  })
  const signed = data.signs.map(({ at, name, text }): Moment => {
    return { at: at ?? 0, until: at ?? 0, kind: 'signed', name, text }
  })
  return [...spoken, ...written, ...signed].sort((one, other) => one.at - other.at)
}

/** Returns what marks the moment that is played. */
export function showMoments(
  data: ReportData,
  seek: (seconds: number, play: boolean) => void,
): (seconds: number) => void {
  const list = document.querySelector<HTMLElement>('#moments')
  const search = document.querySelector<HTMLInputElement>('#search')
  const count = document.querySelector<HTMLElement>('#found')
  if (!list || !search || !count) return () => {}
  const moments = momentsOf(data)
  const rows = moments.map((moment) => {
    const text = element('span', { class: 'text' })
    const button = element(
      'button',
      { type: 'button' },
      element('time', {}, clockTime(moment.at)),
      element('span', { class: 'who' }, moment.name, moment.message ? ` (chat${marksOf(moment.message)})` : ''),
      text,
    )
    button.addEventListener('click', () => seek(moment.at, true))
    const beside = moment.message && besideText(moment.message)
    const row = element('li', { class: moment.kind }, button, ...(beside ? [beside] : []))
    list.append(row)
    return { moment, row, text }
  })
  if (rows.length === 0) list.append(element('li', { class: 'empty' }, 'Nothing was said or written.'))

  const find = () => {
    const wanted = search.value.trim().toLocaleLowerCase()
    let found = 0
    for (const { moment, row, text } of rows) {
      // The page's own label of a turn was not said by a person.
      const isOurs = moment.kind === 'spoke' || moment.kind === 'signed'
      const beside = moment.message ? wordsBeside(moment.message) : ''
      const words = isOurs ? moment.name : `${moment.name}\n${moment.text}\n${beside}`
      const fits = wanted === '' || words.toLocaleLowerCase().includes(wanted)
      row.hidden = !fits
      if (fits) found++
      const shown = moment.message?.isDeleted ? 'The message was deleted.' : moment.text
      text.replaceChildren(...(isOurs || moment.message?.isDeleted ? [shown] : marked(shown, wanted)))
    }
    count.textContent = wanted === '' ? '' : `${found} of ${rows.length}`
  }
  search.addEventListener('input', find)
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter')
      rows
        .find(({ row }) => !row.hidden)
        ?.row.querySelector('button')
        ?.click()
    if (event.key === 'Escape') {
      search.value = ''
      find()
    }
  })
  find()

  let current: HTMLElement | null = null
  return (seconds) => {
    const last = rows.findLast(
      ({ moment }) => moment.until > moment.at && moment.at <= seconds && seconds < moment.until,
    )
    if (last?.row === current) return
    current?.removeAttribute('aria-current')
    current = last?.row ?? null
    current?.setAttribute('aria-current', 'true')
    // Only the list scrolls, and not while the viewer reads or types in it.
    if (current && !list.matches(':hover, :focus-within')) {
      list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 3
    }
  }
}

/** The text with every occurrence of `wanted` marked. */
function marked(text: string, wanted: string): (string | Node)[] {
  if (wanted === '') return [text]
  const lower = text.toLocaleLowerCase()
  // In some languages lower case has another length; places would be wrong then.
  if (lower.length !== text.length) return [text]
  const parts: (string | Node)[] = []
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), element('mark', {}, text.slice(at, at + wanted.length)))
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}
