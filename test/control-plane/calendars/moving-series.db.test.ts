import { everyBotStays } from './every-bot-stays.ts'

// See seeds.ts.
everyBotStays(() => [82419358, 20139, 4, 1], 180_000)
