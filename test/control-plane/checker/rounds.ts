/** Rounds of bots with breakage in between, and the wait until everything has settled. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plan } from '../launching/simulated-bot.ts'
import type { Chaos } from './chaos.ts'

export interface Rounds {
  rounds: number
  botsOfARound: number
}

/** A bot that may do anything that bots do. */
function anyPlan(): Plan {
  const die = Math.random()
  // Lost once or twice; the next attempt may not be let in again.
  const goesOn = { deadAttempts: 1 + Math.floor(Math.random() * 2), ...(Math.random() < 0.3 && { refusedFrom: 2 }) }
  return {
    meetingMs: 100 + Math.random() * 3_000,
    chats: 1 + Math.floor(Math.random() * 20),
    ...(die < 0.1 && { dies: 'before_joining' as const, deadAttempts: 1 }),
    ...(die >= 0.1 && die < 0.14 && { dies: 'recording' as const, isOutOfMemory: Math.random() < 0.5 }),
    ...(die >= 0.14 && die < 0.2 && { ...goesOn, dies: 'recording' as const }),
    ...(die >= 0.2 && die < 0.22 && { ...goesOn, dies: 'waiting' as const }),
    ...(die >= 0.22 && die < 0.24 && { ...goesOn, dies: 'before_report' as const }),
    ...(die >= 0.24 && die < 0.3 && { isRefused: true }),
  }
}

export async function runRounds(chaos: Chaos, { rounds, botsOfARound }: Rounds): Promise<void> {
  const background: Promise<void>[] = []
  for (let round = 0; round < rounds; round++) {
    // One of each round is lost in its meeting for certain.
    await chaos.createBot({ meetingMs: 500, dies: 'recording', deadAttempts: 1 }, null)
    for (let n = 1; n < botsOfARound; n++) {
      const isScheduled = Math.random() < 0.2
      const id = await chaos.createBot(anyPlan(), isScheduled ? 1 + Math.random() * 12 : null)
      if (Math.random() < 0.15) background.push(sleep(Math.random() * 2_000).then(() => chaos.askToLeave(id)))
    }
    await breakSomething(chaos, round, background)
  }
  await Promise.all(background)
}

/** Every kind of breakage has its turn; two happen at once. */
async function breakSomething(chaos: Chaos, round: number, background: Promise<void>[]): Promise<void> {
  const breakages = [
    () => chaos.killRole('launcher'),
    () => chaos.killRole('links'),
    () => chaos.killRole('dispatcher'),
    () => chaos.killDatabase(),
    () => chaos.cutLinks(),
  ]
  if (round % 5 === 2) background.push(chaos.freezeLauncher())
  await Promise.all([breakages[round % breakages.length]!(), breakages[(round + 4) % breakages.length]!()])
}
