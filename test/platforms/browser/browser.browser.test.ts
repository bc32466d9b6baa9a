import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sandboxObstacle } from '@standin/wire/process/chromium-sandbox.ts'
import { generate } from 'selfsigned'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { CaptureEnvironment } from '../../../packages/core/ports.ts'
import { type BotBrowser, type BrowserOptions, openBrowser } from '../../../platforms/browser/browser.ts'
import { publicKeyHash, splitAddress } from '../../../platforms/browser/mapped-hosts.ts'
import { descendants } from '../../end-to-end/bot-process.ts'
import { SILENT_STAGE, until } from '../conformance/ground.ts'
import { grab, startScreen } from '../shared/kiosk.ts'

const HOST = 'meet.google.com'
const signal = new AbortController().signal

const opened: BotBrowser[] = []
async function open(options: Partial<BrowserOptions> = {}, environment: CaptureEnvironment = SILENT_STAGE) {
  const browser = await openBrowser(environment, { logger: silentLogger, ...options }, signal)
  opened.push(browser)
  return browser
}
afterEach(async () => {
  for (const browser of opened.splice(0)) await browser.close()
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'standin-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
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
  const { private: key, cert } = await generate([{ name: 'commonName', value: HOST }], { keySize: 2048 })
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

const mapped = async (body: string, headers?: IncomingHttpHeaders[]) => ({
  mappedHosts: [{ host: HOST, address: await serve(body, headers) }],
})

/** A browser at the page with this body, which it knows under a real name. */
async function visit(
  body: string,
  environment?: CaptureEnvironment,
  headers?: IncomingHttpHeaders[],
): Promise<BotBrowser> {
  const browser = await open(await mapped(body, headers), environment)
  await browser.page.goto(`https://${HOST}/`)
  return browser
}

/** The values that pages read in a browser that looks like an ordinary one in English, with a window without borders. */
const ORDINARY = {
  webdriver: false,
  languages: ['en-US', 'en'],
  locale: 'en-US',
  names: [],
  size: [1280, 720, 1],
  visibility: 'visible',
}
const lookAround = () => ({
  webdriver: navigator.webdriver,
  languages: navigator.languages,
  locale: Intl.DateTimeFormat().resolvedOptions().locale,
  names: Object.getOwnPropertyNames(window).filter((name) => /playwright|puppeteer|__pw|cdc_|standin/i.test(name)),
  size: [innerWidth, innerHeight, devicePixelRatio],
  visibility: document.visibilityState,
})

const commandLine = (processId: number | null) => readFileSync(`/proc/${processId}/cmdline`, 'utf8').split(/[\0 ]/)

describe('one browser without a display', () => {
  let browser: BotBrowser
  beforeAll(async () => {
    browser = await openBrowser(SILENT_STAGE, { logger: silentLogger }, signal)
  })
  afterAll(() => browser.close())

  test('the browser looks like an ordinary one in English', async () => {
    expect(await browser.page.evaluate(lookAround)).toEqual(ORDINARY)
  })

  test('its command line keeps the sound, and the sandbox wherever there can be one', async () => {
    const flags = commandLine(browser.processId)
    expect(flags).not.toContain('--mute-audio')
    expect(flags).not.toContain('--enable-automation')
    expect(flags.includes('--no-sandbox')).toBe((await sandboxObstacle()) !== null)
  })

  test.each(['disable', 'enable'])('features that Playwright says to %s keep its say', async (way) => {
    const flags = commandLine(browser.processId)
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
    const flags = () => descendants(processId!).flatMap(commandLine)
    // That of the page before ends when the processor has time for it.
    await expect.poll(() => flags().filter((flag) => flag === '--type=renderer'), { timeout: 30_000 }).toHaveLength(1)
    expect(flags().filter((flag) => /^--utility-sub-type=.*(?:network|audio)/.test(flag))).toEqual([])
  })
})

describe('without a display', () => {
  test('the browser names itself as with a display, to pages, workers and sites', async () => {
    const headers: IncomingHttpHeaders[] = []
    const { page, context } = await visit('<p>A page</p>', SILENT_STAGE, headers)
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
    expect(named).toMatchObject({ inPage: expected, inWorker: expected })
    expect(named.brands).toContainEqual({ brand: 'Chromium', version: major })
    expect(JSON.stringify(named.brands)).not.toContain('Headless')
    expect(headers.length).toBeGreaterThan(0)
    expect(headers.map((sent) => sent['user-agent'])).toEqual(headers.map(() => expected))
    expect(JSON.stringify(headers)).not.toContain('Headless')
  })

  test('pages that the meeting page opens are closed, and the meeting page continues', async () => {
    const browser = await visit('<p>A page</p>')
    const { page, context } = browser
    const count = 12
    let closed = 0
    context.on('page', (popUp) => popUp.on('close', () => closed++))
    // With a click each: Chromium itself refuses pop-ups without one.
    await page.evaluate(() => {
      addEventListener('click', () => window.open('/another'))
    })
    for (let number = 0; number < count; number++) await page.mouse.click(10, 10)
    await until(() => closed === count, 'every pop-up is closed')
    expect(context.pages()).toEqual([page])
    expect(await page.evaluate(() => document.body.textContent)).toBe('A page')
    expect(browser.ended).toBeNull()
  })

  test('a download is refused and leaves nothing on the disk', async () => {
    const { page } = await visit('<a href="/video.bin" download>Save</a>')
    const asked = page.waitForEvent('download')
    await page.click('a')
    expect(await (await asked).failure()).not.toBeNull()
    const kept = homesOf(process.pid).flatMap((home) =>
      readdirSync(join(tmpdir(), home, 'artifacts'), { recursive: true, withFileTypes: true }),
    )
    expect(kept.filter((file) => file.isFile())).toEqual([])
  })

  test('the browser does not inherit environment variables of the worker', async () => {
    const folder = temporaryFolder()
    const wrapper = join(folder, 'chromium')
    // Chromium overwrites what the system shows of its environment, so it is noted on the way.
    writeFileSync(wrapper, `#!/bin/sh\nenv > ${folder}/environment\nexec /usr/bin/chromium "$@"\n`, { mode: 0o755 })
    process.env.STANDIN_TEST_SECRET = 'must-not-be-seen'
    onTestFinished(() => void delete process.env.STANDIN_TEST_SECRET)
    await open({ executablePath: wrapper })
    const environment = readFileSync(join(folder, 'environment'), 'utf8')
    expect(environment).not.toMatch(/must-not-be-seen|DISPLAY=/)
    expect(environment).toContain('PULSE_SINK=none')
    expect(environment).toContain('PULSE_SERVER=unix:/nonexistent/pulse')
  })

  describe('with a stored session', () => {
    const cookie = { name: 'SID', value: 'of-the-account', domain: HOST, path: '/', secure: true }
    const readSession = async ({ page }: BotBrowser) => {
      await page.goto(`https://${HOST}/abc`)
      return page.evaluate(() => [document.cookie, localStorage.getItem('account')])
    }

    test('a storage state is there before the page is', async () => {
      const cookies = [{ ...cookie, expires: -1, httpOnly: false, sameSite: 'Lax' as const }]
      const origins = [{ origin: `https://${HOST}`, localStorage: [{ name: 'account', value: 'notes' }] }]
      const site = await mapped('<title>A meeting</title>')
      const browser = await open({ ...site, state: { kind: 'storage_state', state: { cookies, origins } } })
      expect(await readSession(browser)).toEqual(['SID=of-the-account', 'notes'])
    })

    test('a profile is used as a copy: what the bot does there is not kept', async () => {
      const profile = join(temporaryFolder(), 'profile')
      const site = await mapped('<title>A meeting</title>')
      // The account's owner signs in once, in a browser with its own profile.
      const owner = await open(site)
      const inYear = Date.now() / 1000 + 31_536_000
      await owner.context.addCookies([{ ...cookie, expires: inYear }])
      await owner.page.goto(`https://${HOST}/abc`)
      await owner.page.evaluate(() => localStorage.setItem('account', 'notes'))
      await keepProfile(owner, profile, 'notes')

      const state = { kind: 'profile', folder: profile } as const
      const first = await open({ ...site, state })
      expect(await readSession(first)).toEqual(['SID=of-the-account', 'notes'])
      await first.page.evaluate(() => localStorage.setItem('account', 'changed by the bot'))
      await first.close()
      expect(await readSession(await open({ ...site, state }))).toEqual(['SID=of-the-account', 'notes'])
    })

    test('a profile that cannot be copied stops the start, and leaves nothing behind', async () => {
      const before = homesOf(process.pid)
      const missing = { kind: 'profile', folder: '/nonexistent/profile' } as const
      await expect(open({ state: missing })).rejects.toThrow('/nonexistent/profile')
      expect(homesOf(process.pid)).toEqual(before)
    })
  })

  test('closing it, twice, leaves no process and no profile', async () => {
    const before = homesOf(process.pid)
    const browser = await open()
    expect(homesOf(process.pid)).toHaveLength(before.length + 1)
    await Promise.all([browser.close(), browser.close()])
    expect(browser.ended).not.toBeNull()
    await until(() => !isAlive(browser.processId!), 'the browser ends')
    expect(homesOf(process.pid)).toEqual(before)
  })

  test('a page that crashes is reported', async () => {
    const browser = await open()
    await browser.page.goto('chrome://crash').catch(() => {})
    expect(await browser.whenEnded).toMatch(/crashed|closed/)
    expect(browser.ended).not.toBeNull()
  })

  test('a missing binary is an error, and nothing is left behind', async () => {
    await expect(open({ executablePath: '/nonexistent/chromium' })).rejects.toThrow(/nonexistent/)
  })
})

test('an unknown plugin is refused with the known ones', async () => {
  await expect(open({ plugins: ['invisible'] })).rejects.toThrow(/invisible.*stealth/)
})

describe('mapped hosts', () => {
  test('other unknown certificates are still refused', async () => {
    const other = await serve('other')
    const { page } = await visit('<title>mapped</title>')
    expect(await page.evaluate(() => [document.title, isSecureContext])).toEqual(['mapped', true])
    await expect(page.goto(`https://${other}/`)).rejects.toThrow(/ERR_CERT/)
  })

  test('an address where no server answers is named in the error', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const closed = { host: HOST, address: `127.0.0.1:${port}` }
    await expect(open({ mappedHosts: [closed] })).rejects.toThrow(`${HOST} at 127.0.0.1:${port}`)
    await expect(publicKeyHash(closed, signal)).rejects.toThrow('Cannot read the certificate')
  })

  test.each(['127.0.0.1', 'localhost:', ':80', '127.0.0.1:0', '127.0.0.1:70000', 'a,MAP * b:1', '1.2.3.4:80,x'])(
    '%s is no address',
    (address) => {
      expect(() => splitAddress(address)).toThrow('is not an address')
    },
  )
})

describe('its life and ours', () => {
  async function child() {
    const program = join(import.meta.dirname, 'browser-child.ts')
    // A separate process group, as a terminal gives a command.
    const started = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
    let heard = ''
    started.stdout.on('data', (text) => {
      heard += text
    })
    await until(() => /browser \d+\n/.test(heard), 'the process id')
    const line = (text: string) => until(() => heard.includes(text), text)
    return { process: started, browser: Number(/browser (\d+)/.exec(heard)![1]), line }
  }

  test('it does not survive our SIGKILL', async () => {
    const started = await child()
    expect(isAlive(started.browser)).toBe(true)
    process.kill(started.process.pid!, 'SIGKILL')
    await until(() => !isAlive(started.browser), 'the browser ends by itself')
    expect(homesOf(started.process.pid!).length).toBe(1)
    // This worker may have browsers of other files.
    const own = homesOf(process.pid).length
    await open()
    expect(homesOf(started.process.pid!)).toEqual([])
    expect(homesOf(process.pid).length).toBe(own + 1)
  })

  test('Ctrl-C at the terminal reaches us and not the browser', async () => {
    const started = await child()
    process.kill(-started.process.pid!, 'SIGINT')
    await started.line('heard SIGINT')
    started.process.stdin.write('ask\n')
    await started.line('answer 42')
    const ended = once(started.process, 'exit')
    started.process.stdin.end()
    await ended
    await until(() => !isAlive(started.browser), 'the browser ends')
  })
})

test('on a display the page is the whole picture: no bars, no borders, to the pixel', async () => {
  const screen = await startScreen()
  onTestFinished(screen.stop)
  const { page } = await visit(
    '<body style="margin:0;background:#00a000"><div style="position:fixed;inset:0;border:1px solid #ff0000;box-sizing:border-box"></div>',
    { ...SILENT_STAGE, display: screen.display },
  )
  expect(await page.evaluate(lookAround)).toEqual(ORDINARY)
  expect(await page.evaluate(() => navigator.userAgent)).not.toContain('Headless')
  const red = ['0 0', '1279 0', '0 719', '1279 719', '640 0']
  const green = ['1 1', '1278 718', '640 30']
  // The first frame may come before the page is painted.
  const seen = async () => {
    const { pixel } = await grab(screen.display)
    return [...red, ...green].map((place) => pixel(...(place.split(' ').map(Number) as [number, number])).join())
  }
  const expected = [...red.map(() => '255,0,0'), ...green.map(() => '0,160,0')]
  await expect.poll(seen, { timeout: 20_000 }).toEqual(expected)
})

test('pages read the same of a browser with and without a display', async () => {
  const { display, stop } = await startScreen()
  onTestFinished(stop)
  const read = async (environment: CaptureEnvironment) => {
    const { page } = await visit('<p>A page', environment)
    return page.evaluate(async () => {
      const { permissions, mediaDevices } = navigator
      const { userAgentData } = navigator as unknown as {
        userAgentData: { getHighEntropyValues(names: string[]): Promise<{ fullVersionList: object[] }> }
      }
      const hints = 'architecture,bitness,formFactors,fullVersionList,model,platformVersion,uaFullVersion,wow64'.split(
        ',',
      )
      const named = 'camera,microphone,notifications,geolocation,midi,storage-access'.split(',') as PermissionName[]
      const media =
        'hover: hover,pointer: fine,prefers-color-scheme: dark,color-gamut: srgb,prefers-reduced-motion: reduce'
      // The first context on a display may be lost.
      const graphics = async () => {
        for (let attempt = 0; attempt < 100; attempt++) {
          const context = document.createElement('canvas').getContext('webgl')
          const facts = context?.getExtension('WEBGL_debug_renderer_info')
          const renderer = facts && context!.getParameter(facts.UNMASKED_RENDERER_WEBGL)
          if (renderer) return renderer
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }
      return {
        agent: [
          navigator.userAgent,
          navigator.platform,
          navigator.vendor,
          navigator.hardwareConcurrency,
          navigator.maxTouchPoints,
        ],
        hints: await userAgentData.getHighEntropyValues(hints),
        plugins: [...navigator.plugins].map(({ name }) => name),
        globals: [window, Navigator.prototype].map((of) => Object.getOwnPropertyNames(of).sort()),
        screen: [
          screen.width,
          screen.height,
          screen.availWidth,
          screen.availHeight,
          screen.colorDepth,
          screen.orientation.type,
        ],
        window: [innerWidth, innerHeight, outerWidth, outerHeight, screenX, screenY, devicePixelRatio],
        focus: [document.hasFocus(), document.visibilityState],
        permissions: await Promise.all(named.map((name) => permissions.query({ name }).then(({ state }) => state))),
        devices: (await mediaDevices.enumerateDevices()).map(({ kind, label }) => kind + label),
        codecs: RTCRtpReceiver.getCapabilities('video')!.codecs.map(
          ({ mimeType, sdpFmtpLine }) => mimeType + sdpFmtpLine,
        ),
        media: media.split(',').map((query) => matchMedia(`(${query})`).matches),
        graphics: await graphics(),
      }
    })
  }
  const onDisplay = await read({ ...SILENT_STAGE, display })
  expect(onDisplay.hints.fullVersionList).toHaveLength(2)
  expect(await read(SILENT_STAGE)).toEqual(onDisplay)
})

test('without a display sound plays into the given sink, and into no other', async () => {
  const folder = temporaryFolder()
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
  onTestFinished(async () => {
    const ended = once(pulse, 'exit')
    pulse.kill()
    await ended
  })
  await until(() => existsSync(socket), 'the sound server listens')
  const { page } = await open({}, { ...SILENT_STAGE, pulseServer: socket, pulseSink: 'meeting' })
  await page.evaluate(() => {
    const context = new AudioContext()
    const tone = new OscillatorNode(context, { frequency: 1000 })
    tone.connect(context.destination)
    tone.start()
  })
  await expect.poll(() => loudnessOf(socket, 'meeting.monitor'), { timeout: 20_000 }).toBeGreaterThan(-6)
  expect(await loudnessOf(socket, 'other.monitor')).toBeLessThan(-80)
})

/** Mean volume of one second, in dB of full scale. */
async function loudnessOf(socket: string, source: string): Promise<number> {
  const input = ['-f', 'pulse', '-server', `unix:${socket}`, '-i', source]
  const measure = ['-t', '1', '-af', 'volumedetect', '-f', 'null', '-']
  const { stderr } = await promisify(execFile)('ffmpeg', ['-hide_banner', ...input, ...measure])
  const found = /mean_volume: (-?[\d.]+|-inf) dB/.exec(stderr)?.[1]
  return found === undefined || found === '-inf' ? Number.NEGATIVE_INFINITY : Number(found)
}

test('a way out of the page is there for our script alone, in every document', async () => {
  const carrier = 'c0ffee'
  const initScript = `((carry) => {
    delete globalThis.${carrier}
    addEventListener('DOMContentLoaded', () => carry(document.title))
  })(globalThis.${carrier})`
  const browser = await open({ carrier, initScript })
  const carried: string[] = []
  browser.onCarried((payload) => carried.push(payload))
  const page = (title: string) =>
    `data:text/html,<script>const seen = '${carrier}' in window || Object.keys(window).includes('${carrier}')</script><title>${title}</title><script>document.title += seen ? ' sees it' : ''</script>`
  await browser.page.goto(page('first'))
  await browser.page.goto(page('second'))
  await expect.poll(() => carried.filter((title) => title !== '')).toEqual(['first', 'second'])
})
