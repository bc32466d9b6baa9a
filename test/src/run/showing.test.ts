/** The pages that a bot shows, over all its browsers. */
import { PAGE_TARGETS, type PageTarget } from '@standin/wire/bot-fields.ts'
import type { BotCommand } from '@standin/wire/commands.ts'
import { expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import type { ShownPageListener } from '../../../packages/core/ports.ts'
import type { World } from '../../fakes/world.ts'
import { ann, recording } from './recording-bot.ts'

const PAGE = 'https://example.com/page'

/** A bot whose meeting shows pages; `broken` ones do not load, `slow` ones take a second. */
async function showing(job: Record<string, unknown> = {}) {
  const opened: { target: PageTarget; url: string; listener: ShownPageListener; isClosed: boolean; told: unknown[] }[] =
    []
  const world: World = await recording(
    {
      showPage: async (target, url, listener) => {
        if (url.endsWith('broken')) throw new Error('It did not load.')
        const page = { target, url, listener, isClosed: false, told: listener.firstNews() as unknown[] }
        opened.push(page)
        if (url.endsWith('slow')) await world.clock.sleep(1000)
        return {
          tell: (news) => void page.told.push(news),
          close: async () => {
            page.isClosed = true
          },
        }
      },
    },
    job,
  )
  const show = (url: string, target?: PageTarget) => world.command({ type: 'show_page', url, target })
  const state = (of: PageTarget = 'camera') =>
    opened.flatMap(({ target, url, isClosed }) =>
      target === of ? `${url.slice(PAGE.length)} ${isClosed ? 'closed' : 'open'}` : [],
    )
  const rejoin = async () => {
    world.emit({ type: 'failed', error: new BotError('INTERNAL_ERROR', 'The browser broke.', { canRetry: true }) })
    for (let second = 0; second < 5; second++) await world.clock.advance(1000)
  }
  return { world, opened, show, state, rejoin }
}

const pagesOf = (camera: string, screen: string) => ({
  output_media: { camera: { kind: 'webpage', url: PAGE + camera }, screen: { kind: 'webpage', url: PAGE + screen } },
})
const other = (target: PageTarget) => PAGE_TARGETS.find((each) => each !== target)!

test.each<PageTarget | undefined>([...PAGE_TARGETS, undefined])(
  'pages of the job are shown from the start; that of %s is replaced, stopped, and a broken one changes nothing',
  async (target) => {
    const { world, show, state } = await showing(pagesOf('1', '1'))
    const states = () => [state(target), state(other(target ?? 'camera'))]
    expect(states()).toEqual([['1 open'], ['1 open']])
    expect(await show(`${PAGE}2`, target)).toEqual({ ok: true })
    expect(states()).toEqual([['1 closed', '2 open'], ['1 open']])
    expect(await show(`${PAGE}broken`, target)).toMatchObject({ code: 'COMMAND_FAILED', message: 'It did not load.' })
    expect(states()).toEqual([['1 closed', '2 open'], ['1 open']])
    for (let time = 0; time < 2; time++)
      expect(await world.command({ type: 'stop_page', target })).toEqual({ ok: true })
    expect(states()).toEqual([['1 closed', '2 closed'], ['1 open']])
  },
)

test('pages of the job that do not load are notices, and the bot records', async () => {
  const { world } = await showing(pagesOf('broken', 'broken'))
  expect(world.notices).toEqual([
    'The page is not shown: It did not load.',
    'The shared page is not shown: It did not load.',
  ])
  expect(world.statuses().at(-1)).toBe('in_call_recording')
})

test.each(PAGE_TARGETS)(
  'the next browser shows that of %s again, unless it ended itself or was ended',
  async (target) => {
    const { world, opened, show, state, rejoin } = await showing()
    await show(`${PAGE}1`, target)
    await rejoin()
    expect(state(target)).toEqual(['1 open', '1 open'])
    opened[1]!.listener.onEnded('it crashed.')
    expect(world.notices.at(-1)).toMatch(/^The (?:shared )?page is not shown any more: it crashed\.$/)
    await rejoin()
    expect(opened).toHaveLength(2)
    await show(`${PAGE}2`, target)
    await opened[2]!.listener.onCall({ call: 'stop', what: 'page' })
    expect(state(target).at(-1)).toBe('2 closed')
    await rejoin()
    expect(opened).toHaveLength(3)
  },
)

test('a page that is stopped while it loads does not come back', async () => {
  const { world, show, state, rejoin } = await showing()
  const commands = [show(`${PAGE}slow`), world.command({ type: 'stop_page' })]
  await world.clock.advance(1000)
  expect(await Promise.all(commands)).toEqual([{ ok: true }, { ok: true }])
  await rejoin()
  expect(state()).toEqual(['slow closed'])
})

test('it hears of people who are there and of what happens, and says and stops what it says', async () => {
  const { world, opened, show } = await showing()
  await show(PAGE)
  const [{ told, listener }] = opened as [(typeof opened)[number]]
  world.speaks(ann.id, true)
  const heard = () => told.map((news) => (news as { type: string }).type)
  expect(heard()).toEqual(['participant_joined', 'participant_joined', 'speaker'])
  const said = listener.onCall({ call: 'say', text: 'Hello you all.', interrupt: false, replace: false })
  await world.clock.advance(400)
  await listener.onCall({ call: 'stop', what: 'speech' })
  for (let step = 0; step < 20; step++) await world.clock.advance(50)
  expect(await said).toMatchObject({ outcome: 'stopped' })
})

test('a page speaks: its sound is a turn of the bot', async () => {
  const { world, opened, show } = await showing()
  await show(PAGE)
  const begun = world.clock.now()
  for (let piece = 0; piece < 100; piece++) {
    opened[0]!.listener.onSound({ at: world.clock.now(), samples: Buffer.alloc(1920, 9) })
    await world.clock.advance(20)
  }
  await world.pass(2, 1)
  world.stop('command')
  await world.end()
  const turns = world.diarization() as { speaker: string; start_time: number; end_time: number }[]
  expect(turns).toMatchObject([{ speaker: 'Standin' }])
  expect(turns[0]!.end_time - turns[0]!.start_time).toBeCloseTo(2, 1)
  expect(begun).toBeGreaterThan(0)
})

test.each<BotCommand>([{ type: 'show_page', url: PAGE }, { type: 'stop_page' }])(
  '$type needs a meeting',
  async (command) => {
    const { world, state } = await showing()
    world.stop('command')
    await world.end()
    expect(await world.command(command)).toMatchObject({ code: 'FST_ERR_BOT_STATUS' })
    expect(state()).toEqual([])
  },
)
