/** Reads a page's chat in a real browser: markup of messages, and panels with thousands of them. */

import { join } from 'node:path'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HEADLESS_SHELL } from '../../../../headless-shell.ts'
import type { Chat } from './chat.entry.ts'

declare const chat: Chat

let browser: Browser
let page: Page
beforeAll(async () => {
  const entry = join(import.meta.dirname, 'chat.entry.ts')
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: 'iife' })
  browser = await chromium.launch({ executablePath: HEADLESS_SHELL, args: ['--no-sandbox'] })
  page = await browser.newPage()
  await page.setContent('<main></main>')
  await page.addScriptTag({ content: outputFiles[0]!.text })
})
afterAll(() => browser?.close())

function read(markup: string) {
  return page.evaluate((html) => {
    const message = document.createElement('div')
    message.innerHTML = html
    return chat.contentOf(message, { without: '.time, blockquote', mention: '[itemtype="Mention"]' })
  }, markup)
}

describe('the text of a message', () => {
  test.each([
    ['paragraphs and line breaks are lines', '<p>one</p><p>two<br>three</p><div>four</div>', 'one\ntwo\nthree\nfour'],
    ['lists are lines', 'These:<ul><li>a</li><li>b</li></ul>', 'These:\na\nb'],
    ['emoji are characters', 'fine <img alt="👍"> <emoji alt="🎉">party</emoji>', 'fine 👍 🎉'],
    [
      'mentions say so',
      'Hi <span itemtype="Mention">Ann Berg</span>, <b itemtype="Mention">@Bob</b>',
      'Hi @Ann Berg, @Bob',
    ],
    [
      'hidden helpers are none',
      '<svg><text>x</text></svg>a<style>b</style><button>c</button><i class="time">9:41</i>',
      'a',
    ],
    ['quotations are none', '<blockquote>said before</blockquote><p>my answer</p>', 'my answer'],
    ['markup that was typed stays typed', '&lt;b&gt;&amp;amp;&lt;/b&gt;&nbsp;x', '<b>&amp;</b> x'],
  ])('%s', async (_what, markup, text) => {
    expect(await read(markup)).toEqual({ text })
  })

  test('a link has its words and its true address, and none that is hostile', async () => {
    const schemes = ['javascript:alert(1)', 'data:text/html,x', ' java\nscript:alert(1)', 'vbscript:x']
    const hostile = [...schemes, '/relative', '//host']
    const links = hostile.map((href) => `<a href="${href}">click</a>`).join(' ')
    expect(await read(`<a href="https://evil.example/">https://bank.example</a> ${links}`)).toEqual({
      text: `https://bank.example ${hostile.map(() => 'click').join(' ')}`,
      links: [{ text: 'https://bank.example', url: 'https://evil.example/' }],
    })
  })

  test('a message without end is cut, and says so', async () => {
    const { text, isCut } = await read(`<p>${'x'.repeat(50_000)}</p>`)
    expect([text.length, isCut]).toEqual([20_000, true])
    expect((await read(`${'<b>'.repeat(400)}deep`)).text).toBe('deep')
    expect((await read('<i>a</i>'.repeat(20_000))).isCut).toBe(true)
  })
})

test('thousands of messages are read once each; then only what is new or has changed', async () => {
  const counts = await page.evaluate(async () => {
    const list = document.createElement('section')
    list.className = 'panel'
    const add = (text: string) => {
      const message = document.createElement('p')
      message.append(Object.assign(document.createElement('span'), { textContent: text }))
      list.append(message)
      return message
    }
    for (let index = 0; index < 4000; index++) add(`Message ${index}`)
    document.querySelector('main')?.append(list)
    const watched = chat.watchChangedNodes('.panel', '.panel p')
    const takeAll = () => {
      const all: Element[] = []
      for (let taken = watched.read(500); taken.length > 0; taken = watched.read(500)) all.push(...taken)
      return all.map(({ textContent }) => textContent)
    }
    const first = takeAll()
    const nothing = takeAll()
    list.children[17]!.firstElementChild!.textContent = 'Edited'
    list.children[3]!.firstElementChild!.firstChild!.nodeValue = 'Edited in place'
    list.children[5]!.remove()
    add('New')
    const changed = takeAll()
    // The panel is closed, and created again when it is opened.
    const copy = list.cloneNode(true)
    list.replaceWith(copy)
    const again = takeAll()
    return { first, nothing, changed, again: again.length }
  })
  const all = Array.from({ length: 4000 }, (_, index) => `Message ${index}`)
  expect(counts).toEqual({ first: all, nothing: [], changed: ['Edited in place', 'Edited', 'New'], again: 4000 })
})
