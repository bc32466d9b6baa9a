import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generate } from 'selfsigned'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { silentLogger } from '../../../core/logger.ts'
import type { CaptureEnvironment } from '../../../core/ports.ts'
import { type BotBrowser, type BrowserOptions, openBrowser } from '../../../platforms/browser/browser.ts'
import { publicKeyHash, splitAddress } from '../../../platforms/browser/mapped-hosts.ts'
import { sandboxObstacle } from '../../../platforms/browser/sandbox.ts'
import { descendants } from '../../end-to-end/bot-process.ts'

const run = promisify(execFile)
const HEADLESS: CaptureEnvironment = {
  display: null,
  pulseServer: '/nonexistent',
  pulseSink: 'none',
  width: 1280,
  height: 720,
}
const signal = new AbortController().signal

const opened: BotBrowser[] = []
async function open(capture: CaptureEnvironment, options: Partial<BrowserOptions> = {}): Promise<BotBrowser> {
  const browser = await openBrowser(capture, { logger: silentLogger, ...options }, signal)
  opened.push(browser)
  return browser
}
afterEach(async () => {
  for (const browser of opened.splice(0)) await browser.close()
})

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`It did not come about in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const isAlive = (id: number) =>
  existsSync(`/proc/${id}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))

/** Folders of browsers that belong to a process. */
function homesOf(processId: number): string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith('standin-browser-'))
    .filter((name) => {
      const owner = join(tmpdir(), name, 'owner.json')
      return existsSync(owner) && JSON.parse(readFileSync(owner, 'utf8')).processId === processId
    })
}

/** Copies the profile of a browser that ends, once the storage of its pages holds `stored`. */
async function keepProfile({ context, processId }: BotBrowser, to: string, stored: string): Promise<void> {
  const home = homesOf(process.pid).find((name) =>
    readFileSync(`/proc/${processId}/cmdline`, 'utf8').includes(join(tmpdir(), name)),
  )!
  const profile = join(tmpdir(), home, 'profile')
  // The page gives its storage to another process, which writes it some seconds later.
  await expect.poll(() => logsOf(join(profile, 'Default/Local Storage/leveldb'))).toContain(stored)
  await context.close()
  cpSync(profile, to, { recursive: true })
}

function logsOf(folder: string): string {
  const logs = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.log')) : []
  return logs.map((name) => readFileSync(join(folder, name), 'latin1')).join('')
}

const servers: Server[] = []
/** With `headers`, keeps those of each request there. */
async function serve(body: string, headers: IncomingHttpHeaders[] = []): Promise<string> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'meet.google.com' }], { keySize: 2048 })
  const server = createServer({ key, cert }, (request, response) => {
    headers.push(request.headers)
    response.setHeader('content-type', 'text/html')
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
afterAll(() => {
  for (const server of servers) server.close()
})

/** The properties of its browser that a page can read. */
function lookAround() {
  return {
    webdriver: navigator.webdriver,
    languages: [...navigator.languages],
    locale: Intl.DateTimeFormat().resolvedOptions().locale,
    userAgent: navigator.userAgent,
    names: Object.getOwnPropertyNames(window).filter((name) => /playwright|puppeteer|__pw|cdc_|standin/i.test(name)),
    size: [innerWidth, innerHeight, devicePixelRatio],
    isVisible: document.visibilityState,
  }
}

describe('one browser without a display', () => {
  let browser: BotBrowser
  beforeAll(async () => {
    browser = await openBrowser(HEADLESS, { logger: silentLogger }, signal)
  })
  afterAll(() => browser.close())

  test('the browser looks like an ordinary one in English', async () => {
    const { page } = browser
    const seen = await page.evaluate(lookAround)
    expect(seen.webdriver).toBe(false)
    expect(seen.languages).toEqual(['en-US', 'en'])
    expect(seen.locale).toBe('en-US')
    expect(seen.names).toEqual([])
    expect(seen.size).toEqual([1280, 720, 1])
    expect(seen.isVisible).toBe('visible')
  })

  test('its command line keeps the sound, and the sandbox wherever there can be one', async () => {
    const { processId } = browser
    const flags = readFileSync(`/proc/${processId}/cmdline`, 'utf8').split(/[\0 ]/)
    expect(flags).not.toContain('--mute-audio')
    expect(flags).not.toContain('--enable-automation')
    expect(flags.includes('--no-sandbox')).toBe((await sandboxObstacle()) !== null)
  })

  test.each(['disable', 'enable'])('features that Playwright says to %s keep its say', async (way) => {
    const { processId } = browser
    const flags = readFileSync(`/proc/${processId}/cmdline`, 'utf8').split(/[\0 ]/)
    const lists = flags
      .filter((flag) => flag.startsWith(`--${way}-features=`))
      .map((flag) => flag.slice(flag.indexOf('=') + 1).split(','))
    expect(lists.length).toBeGreaterThan(1)
    // The last list is the one that counts.
    expect(lists.at(-1)).toEqual(expect.arrayContaining(lists.flat()))
  })

  test('it has one process for pages, and none for network, sound and a page to come', async () => {
    const { processId, page } = browser
    await page.goto('data:text/html,<p>One site')
    const types = descendants(processId!).map((pid) => {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]/)
      return words.find((word) => word.startsWith('--utility-sub-type=') || word === '--type=renderer')
    })
    expect(types.filter((type) => type === '--type=renderer')).toHaveLength(1)
    expect(types.filter((type) => /network|audio/.test(type ?? ''))).toEqual([])
  })
})

describe('without a display', () => {
  test('the browser names itself as with a display, to pages, workers and sites', async () => {
    const headers: IncomingHttpHeaders[] = []
    const address = await serve('<p>A page</p>', headers)
    const { page, context } = await open(HEADLESS, {
      mappedHosts: [{ host: 'meet.google.com', address }],
    })
    await page.goto('https://meet.google.com/')
    const named = await page.evaluate(async () => {
      const source = URL.createObjectURL(new Blob(['postMessage(navigator.userAgent)']))
      const worker = new Worker(source)
      const inWorker = await new Promise<string>((resolve) => {
        worker.onmessage = ({ data }) => resolve(data)
      })
      const { userAgentData } = navigator as unknown as {
        userAgentData: { brands: { brand: string; version: string }[] }
      }
      return { inPage: navigator.userAgent, inWorker, brands: userAgentData.brands }
    })
    const major = context.browser()!.version().split('.')[0]!
    const expected = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`
    expect(named.inPage).toBe(expected)
    expect(named.inWorker).toBe(expected)
    expect(named.brands).toContainEqual({ brand: 'Chromium', version: major })
    expect(JSON.stringify(named.brands)).not.toContain('Headless')
    expect(headers.length).toBeGreaterThan(0)
    expect(headers.map((sent) => sent['user-agent'])).toEqual(headers.map(() => expected))
    expect(JSON.stringify(headers)).not.toContain('Headless')
  })

  test('pages that the meeting page opens are closed, and the meeting page continues', async () => {
    const address = await serve('<p>A page</p>')
    const browser = await open(HEADLESS, { mappedHosts: [{ host: 'meet.google.com', address }] })
    const { page, context } = browser
    await page.goto('https://meet.google.com/')
    const count = 12
    let closed = 0
    context.on('page', (popUp) => popUp.on('close', () => closed++))
    // With a click each: Chromium itself refuses pop-ups without one.
    await page.evaluate(() => {
      addEventListener('click', () => window.open('https://meet.google.com/another'))
    })
    for (let number = 0; number < count; number++) await page.mouse.click(10, 10)
    await until(() => closed === count, 'every pop-up is closed')
    expect(context.pages()).toEqual([page])
    expect(await page.evaluate(() => document.body.textContent)).toBe('A page')
    expect(browser.ended).toBeNull()
  })

  test('a download is refused and leaves nothing on the disk', async () => {
    const address = await serve('<a href="/video.bin" download>Save</a>')
    const { page } = await open(HEADLESS, { mappedHosts: [{ host: 'meet.google.com', address }] })
    await page.goto('https://meet.google.com/')
    const asked = page.waitForEvent('download')
    await page.click('a')
    expect(await (await asked).failure()).not.toBeNull()
    const files = homesOf(process.pid).flatMap((home) =>
      readdirSync(join(tmpdir(), home, 'artifacts'), { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      ),
    )
    expect(files).toEqual([])
  })

  test('the browser does not inherit environment variables of the worker', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'standin-test-'))
    const wrapper = join(folder, 'chromium')
    // Chromium overwrites what the system shows of its environment, so it is noted on the way.
    writeFileSync(wrapper, `#!/bin/sh\nenv > ${folder}/environment\nexec /usr/bin/chromium "$@"\n`, { mode: 0o755 })
    process.env.STANDIN_TEST_SECRET = 'must-not-be-seen'
    try {
      await open(HEADLESS, { executablePath: wrapper })
      const environment = readFileSync(join(folder, 'environment'), 'utf8')
      expect(environment).not.toContain('must-not-be-seen')
      expect(environment).toContain('PULSE_SINK=none')
      expect(environment).toContain('PULSE_SERVER=unix:/nonexistent')
      expect(environment).not.toContain('DISPLAY=')
    } finally {
      delete process.env.STANDIN_TEST_SECRET
      rmSync(folder, { recursive: true, force: true })
    }
  })

  describe('with a stored session', () => {
    const cookie = { name: 'SID', value: 'of-the-account', domain: 'meet.google.com', path: '/', secure: true }
    const site = async () => ({
      mappedHosts: [{ host: 'meet.google.com', address: await serve('<title>A meeting</title>') }],
    })
    const readSession = async ({ page }: BotBrowser) => {
      await page.goto('https://meet.google.com/abc')
      return page.evaluate(() => [document.cookie, localStorage.getItem('account')])
    }

    test('a storage state is there before the page is', async () => {
      const stored = {
        cookies: [{ ...cookie, expires: -1, httpOnly: false, sameSite: 'Lax' as const }],
        origins: [{ origin: 'https://meet.google.com', localStorage: [{ name: 'account', value: 'notes' }] }],
      }
      const browser = await open(HEADLESS, { ...(await site()), state: { kind: 'storage_state', state: stored } })
      expect(await readSession(browser)).toEqual(['SID=of-the-account', 'notes'])
    })

    test('a profile is used as a copy: what the bot does there is not kept', async () => {
      const place = mkdtempSync(join(tmpdir(), 'standin-test-'))
      const profile = join(place, 'profile')
      const mapped = await site()
      try {
        // The account's owner signs in once, in a browser with its own profile.
        const owner = await open(HEADLESS, mapped)
        const inYear = Date.now() / 1000 + 31_536_000
        await owner.context.addCookies([{ ...cookie, expires: inYear }])
        await owner.page.goto('https://meet.google.com/abc')
        await owner.page.evaluate(() => localStorage.setItem('account', 'notes'))
        await keepProfile(owner, profile, 'notes')

        const state = { kind: 'profile', folder: profile } as const
        const first = await open(HEADLESS, { ...mapped, state })
        expect(await readSession(first)).toEqual(['SID=of-the-account', 'notes'])
        await first.page.evaluate(() => localStorage.setItem('account', 'changed by the bot'))
        await first.close()
        expect(await readSession(await open(HEADLESS, { ...mapped, state }))).toEqual(['SID=of-the-account', 'notes'])
      } finally {
        rmSync(place, { recursive: true, force: true })
      }
    })

    test('a profile that cannot be copied stops the start, and leaves nothing behind', async () => {
      const before = homesOf(process.pid)
      const missing = { kind: 'profile', folder: '/nonexistent/profile' } as const
      await expect(open(HEADLESS, { state: missing })).rejects.toThrow('/nonexistent/profile')
      expect(homesOf(process.pid)).toEqual(before)
    })
  })

  test('closing it, twice, leaves no process and no profile', async () => {
    const before = new Set(readdirSync(tmpdir()).filter((name) => name.startsWith('standin-browser-')))
    const browser = await open(HEADLESS)
    const id = browser.processId!
    const [profile] = readdirSync(tmpdir()).filter((name) => name.startsWith('standin-browser-') && !before.has(name))
    expect(readFileSync(`/proc/${id}/cmdline`, 'utf8')).toContain('standin-browser-')
    await Promise.all([browser.close(), browser.close()])
    expect(browser.ended).not.toBeNull()
    await until(() => !isAlive(id), 'the browser ends')
    expect(existsSync(join(tmpdir(), profile!))).toBe(false)
  })

  test('a page that crashes is reported', async () => {
    const browser = await open(HEADLESS)
    await browser.page.goto('chrome://crash').catch(() => {})
    expect(await browser.whenEnded).toMatch(/crashed|closed/)
    expect(browser.ended).not.toBeNull()
  })

  test('a missing binary is an error, and nothing is left behind', async () => {
    await expect(open(HEADLESS, { executablePath: '/nonexistent/chromium' })).rejects.toThrow(/nonexistent/)
  })
})

describe('plugins', () => {
  test('an unknown name is refused with the known ones', async () => {
    await expect(open(HEADLESS, { plugins: ['invisible'] })).rejects.toThrow(/invisible.*stealth/)
  })
})

describe('mapped hosts', () => {
  test('a real name leads to the mapped address, whose certificate is accepted', async () => {
    const address = await serve('<title>mapped</title>')
    const { page } = await open(HEADLESS, { mappedHosts: [{ host: 'meet.google.com', address }] })
    await page.goto('https://meet.google.com/abc-defg-hij')
    expect(await page.title()).toBe('mapped')
    expect(await page.evaluate(() => isSecureContext)).toBe(true)
  })

  test('other unknown certificates are still refused', async () => {
    const mapped = await serve('mapped')
    const other = await serve('other')
    const { page } = await open(HEADLESS, { mappedHosts: [{ host: 'meet.google.com', address: mapped }] })
    await expect(page.goto(`https://${other}/`)).rejects.toThrow(/ERR_CERT/)
  })

  test('an address where no server answers is named in the error', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const mapped = { host: 'meet.google.com', address: `127.0.0.1:${port}` }
    await expect(open(HEADLESS, { mappedHosts: [mapped] })).rejects.toThrow(`meet.google.com at 127.0.0.1:${port}`)
    await expect(publicKeyHash(mapped, signal)).rejects.toThrow('Cannot read the certificate')
  })

  test.each(['127.0.0.1', 'localhost:', ':80', '127.0.0.1:0', '127.0.0.1:70000', 'a,MAP * b:1', '1.2.3.4:80,x'])(
    '%s is no address',
    (address) => {
      expect(() => splitAddress(address)).toThrow('is not an address')
    },
  )
})

describe('its life and ours', () => {
  async function child(): Promise<{ process: ChildProcess; browser: number; line(text: string): Promise<void> }> {
    const program = join(import.meta.dirname, 'browser-child.ts')
    // A separate process group, as a terminal gives a command.
    const started = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
    let heard = ''
    started.stdout?.on('data', (text) => {
      heard += text
    })
    const line = (text: string) => until(() => heard.includes(text), text)
    await line('browser ')
    await until(() => /browser \d+\n/.test(heard), 'the process id')
    return { process: started, browser: Number(/browser (\d+)/.exec(heard)?.[1]), line }
  }

  test('it does not survive our SIGKILL', async () => {
    const started = await child()
    expect(isAlive(started.browser)).toBe(true)
    process.kill(started.process.pid!, 'SIGKILL')
    await until(() => !isAlive(started.browser), 'the browser ends by itself')
    expect(homesOf(started.process.pid!).length).toBe(1)
    // This worker may have browsers of other files.
    const own = homesOf(process.pid).length
    await open(HEADLESS)
    expect(homesOf(started.process.pid!)).toEqual([])
    expect(homesOf(process.pid).length).toBe(own + 1)
  })

  test('Ctrl-C at the terminal reaches us and not the browser', async () => {
    const started = await child()
    process.kill(-started.process.pid!, 'SIGINT')
    await started.line('heard SIGINT')
    started.process.stdin?.write('ask\n')
    await started.line('answer 42')
    const ended = once(started.process, 'exit')
    started.process.stdin?.end()
    await ended
    await until(() => !isAlive(started.browser), 'the browser ends')
  })
})

describe('on a display', () => {
  let xvfb: ChildProcess
  let capture: CaptureEnvironment
  beforeAll(async () => {
    xvfb = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x720x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [number] = (await once(xvfb.stdout!, 'data')) as [Buffer]
    capture = { ...HEADLESS, display: `:${String(number).trim()}` }
  })
  afterAll(async () => {
    const ended = once(xvfb, 'exit')
    xvfb.kill()
    await ended
  })

  test('the page is the whole picture: no bars, no borders, to the pixel', async () => {
    const address = await serve(
      '<body style="margin:0;background:#00a000"><div style="position:fixed;inset:0;border:1px solid #ff0000;box-sizing:border-box"></div>',
    )
    const { page } = await open(capture, { mappedHosts: [{ host: 'meet.google.com', address }] })
    await page.goto('https://meet.google.com/abc-defg-hij')
    const seen = await page.evaluate(lookAround)
    expect(seen.userAgent).not.toContain('Headless')
    expect(seen.webdriver).toBe(false)
    expect(seen.languages).toEqual(['en-US', 'en'])
    expect(seen.size).toEqual([1280, 720, 1])

    const red = [255, 0, 0]
    const green = [0, 160, 0]
    const expected: [number, number, number[]][] = [
      [0, 0, red],
      [1279, 0, red],
      [0, 719, red],
      [1279, 719, red],
      [1, 1, green],
      [1278, 718, green],
      [640, 0, red],
      [640, 30, green],
    ]
    const deadline = Date.now() + 20_000
    for (;;) {
      const frame = await grab(capture.display!)
      const pixels = expected.map(([x, y]) => [...frame.subarray((y * 1280 + x) * 3, (y * 1280 + x) * 3 + 3)])
      const wanted = expected.map(([, , color]) => color)
      // The first frame may come before the page is painted.
      if (JSON.stringify(pixels) === JSON.stringify(wanted) || Date.now() > deadline) {
        expect(pixels).toEqual(wanted)
        break
      }
    }
  })
})

/** One frame of a display as RGB. */
async function grab(display: string): Promise<Buffer> {
  const input = ['-f', 'x11grab', '-draw_mouse', '0', '-video_size', '1280x720', '-i', display]
  const output = ['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']
  const { stdout } = await run('ffmpeg', ['-loglevel', 'error', ...input, ...output], {
    encoding: 'buffer',
    maxBuffer: 1280 * 720 * 4,
  })
  return stdout
}

describe('sound', () => {
  test('without a display it plays into the given sink, and into no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'standin-pulse-'))
    const socket = join(folder, 'native')
    const modules = [
      `module-native-protocol-unix socket=${socket} auth-anonymous=1`,
      'module-null-sink sink_name=other',
      'module-null-sink sink_name=meeting',
    ]
    const pulse = spawn(
      'pulseaudio',
      ['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no', ...modules.flatMap((line) => ['-L', line])],
      { stdio: 'ignore', env: { PATH: '/usr/bin:/bin', HOME: folder, XDG_RUNTIME_DIR: folder } },
    )
    try {
      await until(() => existsSync(socket), 'the sound server listens')
      const { page } = await open({ ...HEADLESS, pulseServer: socket, pulseSink: 'meeting' })
      await page.evaluate(() => {
        const context = new AudioContext()
        const tone = new OscillatorNode(context, { frequency: 1000 })
        tone.connect(context.destination)
        tone.start()
      })
      const deadline = Date.now() + 20_000
      let loudness = Number.NEGATIVE_INFINITY
      while (loudness < -6 && Date.now() < deadline) loudness = await loudnessOf(socket, 'meeting.monitor')
      expect(loudness).toBeGreaterThan(-6)
      expect(await loudnessOf(socket, 'other.monitor')).toBeLessThan(-80)
    } finally {
      const ended = once(pulse, 'exit')
      pulse.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** Mean volume of one second, in dB of full scale. */
async function loudnessOf(socket: string, source: string): Promise<number> {
  const input = ['-f', 'pulse', '-server', `unix:${socket}`, '-i', source]
  const { stderr } = await run('ffmpeg', [
    '-hide_banner',
    ...input,
    '-t',
    '1',
    '-af',
    'volumedetect',
    '-f',
    'null',
    '-',
  ])
  const found = /mean_volume: (-?[\d.]+|-inf) dB/.exec(stderr)?.[1]
  return found === undefined || found === '-inf' ? Number.NEGATIVE_INFINITY : Number(found)
}

test('a way out of the page is there for our script alone, in every document', async () => {
  const carrier = 'c0ffee'
  const initScript = `((carry) => {
    delete globalThis.${carrier}
    addEventListener('DOMContentLoaded', () => carry(document.title))
  })(globalThis.${carrier})`
  const browser = await open(HEADLESS, { carrier, initScript })
  const carried: string[] = []
  browser.onCarried((payload) => carried.push(payload))
  const page = (title: string) =>
    `data:text/html,<script>const seen = '${carrier}' in window || Object.keys(window).includes('${carrier}')</script><title>${title}</title><script>document.title += seen ? ' sees it' : ''</script>`
  await browser.page.goto(page('first'))
  await browser.page.goto(page('second'))
  await expect.poll(() => carried.filter((title) => title !== '')).toEqual(['first', 'second'])
})
