/** What a bot says: a tenth of a second for each letter, so that times in a text are its letters. */
import type { BotCommand } from '@standin/wire/commands.ts'
import { expect, test } from 'vitest'
import { ann, recording } from './recording-bot.ts'

type World = Awaited<ReturnType<typeof recording>>

const TWO = 'Hello you all. Goodbye now.'

function say(world: World, text: string, options: { interrupt?: boolean; replace?: boolean } = {}) {
  const command: BotCommand = { type: 'say', text, interrupt: false, replace: false, ...options }
  return world.command(command)
}

/** Lets time pass until the answer is there. */
async function answerOf<T>(world: World, answer: Promise<T>): Promise<T> {
  let isThere = false
  void answer.finally(() => {
    isThere = true
  })
  for (let step = 0; step < 1000 && !isThere; step++) await world.clock.advance(20)
  return answer
}

test('a text is said sentence after sentence, and the bot is its speaker', async () => {
  const world = await recording()
  const began = world.clock.now()
  const answer = await answerOf(world, say(world, TWO))
  const data = { outcome: 'said', heard_text: TWO, heard_words: 5, words: 5, heard_seconds: 2.7 }
  expect(answer).toEqual({ ok: true, data })
  expect(world.clock.now() - began).toBeLessThan(3000)
  await world.pass(2, 2)
  expect(await answerOf(world, say(world, 'More.'))).toMatchObject({ data: { outcome: 'said' } })
  world.stop('command')
  await world.end()
  const [turn] = world.diarization() as { start_time: number; end_time: number }[]
  expect(turn).toMatchObject({ speaker: 'Standin', source: 'audio_level' })
  expect(turn!.end_time - turn!.start_time).toBeCloseTo(2.7, 1)
  const own = { participant: { name: 'Standin', platform_id: 'standin/bot' } }
  const reported = world.events.filter((event) => 'participant' in event && event.participant?.name === 'Standin')
  const speaks = (is_speaking: boolean) => ({ type: 'speaker', is_speaking, ...own })
  expect(reported).toMatchObject([{ type: 'participant_changed', ...own }, ...[true, false, true, false].map(speaks)])
})

test('a second text waits for the first, and one more than a thousand characters is refused', async () => {
  const world = await recording({ speak: async ({ length }) => Buffer.alloc(length * 480) })
  const [first, second] = [say(world, 'a'.repeat(500)), say(world, 'b'.repeat(499))]
  expect(await say(world, 'No.')).toMatchObject({ code: 'COMMAND_FAILED', message: expect.stringContaining('999') })
  expect(await answerOf(world, first)).toMatchObject({ data: { outcome: 'said', heard_seconds: 5 } })
  expect(await answerOf(world, second)).toMatchObject({ data: { outcome: 'said', heard_words: 1 } })
})

/** What happens after 0.9 s of `Hello you all. …`, in which people heard two of its words. */
const CUTS: [outcome: string, cut: (world: World) => unknown][] = [
  ['stopped', (world) => world.command({ type: 'stop_saying' })],
  ['muted', (world) => world.emit({ type: 'muted_by_host' })],
  ['replaced', (world) => say(world, 'Yes.', { replace: true })],
  ['ended', (world) => world.stop('command')],
]
test.each(CUTS)(
  'a text that is %s answers the words that people heard, and those that wait none',
  async (outcome, cut) => {
    const world = await recording()
    const [first, waiting] = [say(world, TWO), say(world, 'Never.')]
    await world.clock.advance(900)
    void cut(world)
    const heard = { outcome, heard_text: 'Hello you', heard_words: 2, words: 5 }
    expect(await answerOf(world, first)).toMatchObject({ ok: true, data: heard })
    expect(await answerOf(world, waiting)).toMatchObject({ data: { outcome, heard_text: '', heard_seconds: 0 } })
    expect(world.calls).toContain('clear sound')
  },
)

test.each<[outcome: string, interrupt: boolean, speechMs: number]>([
  ['said', false, 3000],
  ['said', true, 400],
  ['interrupted', true, 600],
])('a text is %s (interrupt: %s) while a person speaks for %i ms', async (outcome, interrupt, speechMs) => {
  const world = await recording()
  const answer = say(world, TWO, { interrupt })
  await world.clock.advance(500)
  world.speaks(ann.id, true)
  await world.clock.advance(speechMs)
  world.speaks(ann.id, false)
  expect(await answerOf(world, answer)).toMatchObject({ data: { outcome } })
})

test('a voice that fails is refused with its sentence, and the next text is said', async () => {
  let tries = 0
  const speak = async () => {
    if (tries++ === 0) throw new Error('The bot has no voice.')
    return Buffer.alloc(48)
  }
  const world = await recording({ speak })
  expect(await say(world, 'Hello.')).toEqual({ ok: false, code: 'COMMAND_FAILED', message: 'The bot has no voice.' })
  expect(await answerOf(world, say(world, 'Hello.'))).toMatchObject({ data: { outcome: 'said' } })
})
