import { everyBotStays } from './every-bot-stays.ts'
import { randomSeeds } from './seeds.ts'

everyBotStays(() => randomSeeds(300), 3_600_000)
