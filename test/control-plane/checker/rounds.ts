/** Rounds of bots with faults in between, and the wait until the last fault is over. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plan } from '../launching/simulated-bot.ts'
import type { Chaos } from './chaos.ts'
import type { Fault } from './faults.ts'
import { shuffled } from './seeded.ts'

export interface Rounds {
  rounds: number
  botsOfARound: number
  faults: readonly Fault[]
}

/** A bot that may do anything that bots do. */
function anyPlan(random: () => number): Plan {
  const die = random()
  // Lost once or twice; the next attempt may not be let in again.
  const goesOn = { deadAttempts: 1 + Math.floor(random() * 2), ...(random() < 0.3 && { refusedFrom: 2 }) }
  return {
    meetingMs: 100 + random() * 3_000,
    chats: 1 + Math.floor(random() * 20),
    hasWords: true,
    ...(die < 0.1 && { dies: 'before_joining' as const, deadAttempts: 1 }),
    ...(die >= 0.1 && die < 0.14 && { dies: 'recording' as const, isOutOfMemory: random() < 0.5 }),
    ...(die >= 0.14 && die < 0.2 && { ...goesOn, dies: 'recording' as const }),
    ...(die >= 0.2 && die < 0.22 && { ...goesOn, dies: 'waiting' as const }),
    ...(die >= 0.22 && die < 0.24 && { ...goesOn, dies: 'before_report' as const }),
    ...(die >= 0.24 && die < 0.3 && { isRefused: true }),
  }
}

export async function runRounds(chaos: Chaos, { rounds, botsOfARound, faults }: Rounds): Promise<void> {
  const { random } = chaos
  const background: Promise<unknown>[] = []
  const happening = new Happening(chaos)
  let deck: Fault[] = []
  const draw = (taken: readonly string[]) => {
    const at = deck.findIndex(({ places }) => !places.some((place) => taken.includes(place)))
    return at === -1 ? [] : deck.splice(at, 1)
  }
  for (let round = 0; round < rounds; round++) {
    // Every fault has its turn; two begin at once if they can, on the bots of their round.
    if (deck.length === 0) deck = shuffled(faults, random)
    const [one] = draw([])
    const both = [one!, ...draw(one!.places)]
    await happening.hasRoomFor(both)
    // One of each round is lost in its meeting for certain.
    await chaos.createBot({ meetingMs: 500, dies: 'recording', deadAttempts: 1 }, null)
    for (let n = 1; n < botsOfARound; n++) {
      const id = await chaos.createBot(anyPlan(random), random() < 0.2 ? 1 + random() * 12 : null)
      if (random() < 0.15) background.push(sleep(random() * 2_000).then(() => chaos.askToLeave(id)))
    }
    await Promise.all(both.map((fault) => happening.begin(fault)))
  }
  await Promise.all([...background, happening.isOver()])
}

/** Faults that last overlap with the next ones of other places. */
class Happening {
  readonly #chaos: Chaos
  readonly #busy = new Map<string, Promise<void>>()

  constructor(chaos: Chaos) {
    this.#chaos = chaos
  }

  async hasRoomFor(faults: readonly Fault[]): Promise<void> {
    await Promise.all(faults.flatMap(({ places }) => places).map((place) => this.#busy.get(place)))
  }

  async begin(fault: Fault): Promise<void> {
    const beganAt = performance.now()
    const end = await fault.begin(this.#chaos)
    const over = async () => {
      if (end !== undefined) await sleep((fault.lastsSeconds ?? 0) * 1000).then(end)
      this.#chaos.happened.push({ name: fault.name, seconds: (performance.now() - beganAt) / 1000 })
    }
    const ending = over()
    for (const place of fault.places) this.#busy.set(place, ending)
  }

  async isOver(): Promise<void> {
    await Promise.all(this.#busy.values())
  }
}
