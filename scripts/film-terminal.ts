/** Runs a command in its own terminal and makes a moving picture of the screen. Needs `script` of util-linux, and ffmpeg. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Terminal } from '@xterm/xterm'
import type { Browser } from 'playwright'

const package_ = join(import.meta.dirname, '../node_modules/@xterm/xterm')
const [COLUMNS, ROWS] = [106, 26]
/** Seconds of the command between two pictures, and how many of these are shown a second. */
const [EVERY, RATE] = [1.2, 5]
/** The last screen stays for so many pictures. */
const LAST = 20

export interface Film {
  /** As a person types it. */
  command: string
  /** The same for a shell. */
  run: string
  cwd: string
  /** Gets `film-<number>.png`. */
  folder: string
}

/** Resolves with how fast the pictures are to be shown. */
export async function filmTerminal(browser: Browser, { command, run, cwd, folder }: Film) {
  const [out, timing] = [join(folder, 'terminal.out'), join(folder, 'terminal.timing')]
  const size = `stty cols ${COLUMNS} rows ${ROWS}`
  execFileSync('script', ['-q', '-e', '-c', `${size}; ${run}`, '--log-out', out, '--log-timing', timing], {
    cwd,
    stdio: 'ignore',
    env: { ...process.env, TERM: 'xterm-256color' },
  })
  const page = await browser.newPage({ deviceScaleFactor: 1.25 })
  await page.setContent(
    '<body style="margin: 0; display: inline-block; padding: 14px; background: #14161a"><div id="screen"></div>',
  )
  await page.addStyleTag({ path: join(package_, 'css/xterm.css') })
  await page.addScriptTag({ path: join(package_, 'lib/xterm.js') })
  await page.evaluate(
    ([columns, rows]) => {
      const global = globalThis as unknown as { Terminal: typeof Terminal; terminal: Terminal }
      const own = { background: '#14161a', foreground: '#e6e8ec', cursor: '#14161a' }
      const theme = { ...own, green: '#5fd38d', brightBlack: '#8a919c' }
      const fontFamily = '"DejaVu Sans Mono", "Noto Color Emoji", monospace'
      global.terminal = new global.Terminal({ cols: columns, rows, theme, fontFamily, fontSize: 13, scrollback: 0 })
      global.terminal.open(document.getElementById('screen')!)
    },
    [COLUMNS, ROWS] as const,
  )
  const write = (text: string) =>
    page.evaluate((piece) => {
      const { terminal } = globalThis as unknown as { terminal: Terminal }
      return new Promise<void>((resolve) => terminal.write(piece, resolve))
    }, text)

  let pictures = 0
  const screen = page.locator('body')
  const picture = async () => {
    await screen.screenshot({ path: join(folder, `film-${String(pictures).padStart(3, '0')}.png`) })
    pictures += 1
  }
  await write(`\u001b[32m$\u001b[39m ${command}\r\n`)
  let at = 0
  for (const { delay, text } of piecesOf(readFileSync(out), readFileSync(timing, 'utf8'))) {
    at += delay
    while (pictures * EVERY < at) await picture()
    await write(text)
  }
  for (let count = 0; count < LAST; count += 1) await picture()
  await page.close()
  return { rate: RATE }
}

/** The pieces that the command wrote, each with the seconds since the one before. The first line is that of `script`. */
function piecesOf(out: Buffer, timing: string): { delay: number; text: string }[] {
  let start = out.indexOf('\n') + 1
  const decoder = new TextDecoder()
  return timing
    .trim()
    .split('\n')
    .map((line) => {
      const [delay, bytes] = line.split(' ').map(Number) as [number, number]
      const piece = out.subarray(start, start + bytes)
      start += bytes
      return { delay, text: decoder.decode(piece, { stream: true }) }
    })
}
