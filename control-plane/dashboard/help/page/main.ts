/** Search, menu and copy buttons of the documentation's pages. Without it the pages are complete. */
import MiniSearch, { type SearchResult } from 'minisearch'

const MAX_FOUND = 12
/** The path under which a proxy serves the service, which is before `/help/help.js`; empty without one. */
const ROOT = new URL('..', import.meta.url).pathname.slice(0, -1)

const input = document.querySelector<HTMLInputElement>('#search')!
const list = document.querySelector<HTMLUListElement>('#found')!

let loading: Promise<MiniSearch> | undefined

/** The texts are loaded when the reader first searches, and again after a failure. */
function opened(): Promise<MiniSearch> {
  loading ??= load().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<MiniSearch> {
  const search = new MiniSearch({
    fields: ['page', 'heading', 'text'],
    storeFields: ['at', 'page', 'heading', 'text'],
    searchOptions: { boost: { page: 2, heading: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  })
  const answer = await fetch(`${ROOT}/help/search.json`)
  if (!answer.ok) throw new Error(`The texts of the search could not be loaded: ${answer.status}`)
  search.addAll(await answer.json())
  return search
}

/** Part of the text around the first word that was found. */
function excerptOf({ text, terms }: SearchResult): string {
  const first = terms.map((term) => text.toLowerCase().indexOf(term)).filter((at) => at >= 0)
  const begin = Math.max(0, Math.min(...first, text.length) - 40)
  return `${begin > 0 ? '…' : ''}${text.slice(begin, begin + 140)}${text.length > begin + 140 ? '…' : ''}`
}

function show(items: readonly HTMLLIElement[]): void {
  list.replaceChildren(...items)
  list.hidden = items.length === 0
  input.setAttribute('aria-expanded', String(items.length > 0))
  choose(0)
}

function choose(index: number): void {
  const options = [...list.querySelectorAll<HTMLLIElement>('[role=option]')]
  options.forEach((option, at) => void option.setAttribute('aria-selected', String(at === index)))
  const chosen = options[index]
  if (chosen) input.setAttribute('aria-activedescendant', chosen.id)
  else input.removeAttribute('aria-activedescendant')
  chosen?.scrollIntoView({ block: 'nearest' })
}

const chosenIndex = () =>
  [...list.querySelectorAll('[role=option]')].findIndex((option) => option.getAttribute('aria-selected') === 'true')

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, text: string): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), { textContent: text })
}

function itemOf(result: SearchResult, index: number): HTMLLIElement {
  const item = document.createElement('li')
  item.id = `found-${index}`
  item.setAttribute('role', 'option')
  const link = Object.assign(document.createElement('a'), { href: ROOT + result.at, tabIndex: -1 })
  const name = result.heading === result.page ? result.page : `${result.page}: ${result.heading}`
  link.append(element('strong', name), element('span', excerptOf(result)))
  item.append(link)
  return item
}

input.addEventListener('focus', () => void opened().catch(() => {}))
input.addEventListener('input', async () => {
  const query = input.value.trim()
  if (query === '') return show([])
  try {
    const search = await opened()
    if (query !== input.value.trim()) return
    const results = search.search(query).slice(0, MAX_FOUND)
    show(results.length > 0 ? results.map(itemOf) : [element('li', 'Nothing found.')])
  } catch (error) {
    show([element('li', error instanceof Error ? error.message : String(error))])
  }
})
input.addEventListener('keydown', (event) => {
  const count = list.querySelectorAll('[role=option]').length
  if (event.key === 'Escape') show([])
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    if (count > 0) choose((chosenIndex() + (event.key === 'ArrowDown' ? 1 : count - 1)) % count)
  }
})
input.form!.addEventListener('submit', (event) => {
  event.preventDefault()
  list.querySelector<HTMLAnchorElement>('[aria-selected=true] a')?.click()
  show([])
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return
  event.preventDefault()
  input.focus()
})
document.addEventListener('click', ({ target }) => {
  if (target instanceof Node && !input.form!.contains(target)) show([])
})

const menu = document.querySelector<HTMLButtonElement>('#menu')!
menu.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('menu')
  menu.setAttribute('aria-expanded', String(isOpen))
})

for (const block of document.querySelectorAll('pre')) {
  const button = Object.assign(element('button', 'Copy'), { type: 'button', className: 'copy' })
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => button.replaceChildren('Copy'), 1_500)
  })
  block.append(button)
}

// On a narrow window the list of parts is above the text.
const contents = document.querySelector<HTMLDetailsElement>('#contents details')
if (contents) contents.open = matchMedia('(min-width: 80rem)').matches
