/** Room names as the welcome page makes them up: four words in a row. */
import { randomInt } from 'node:crypto'

const WORDS = [
  'Amber',
  'Brave',
  'Calm',
  'Distant',
  'Early',
  'Friendly',
  'Gentle',
  'Hidden',
  'Ivory',
  'Jolly',
  'Kind',
  'Lively',
  'Meadows',
  'Rivers',
  'Harbors',
  'Lanterns',
  'Orchards',
  'Pebbles',
  'Kettles',
  'Windows',
  'Bridges',
  'Gardens',
  'Wander',
  'Listen',
  'Gather',
  'Whisper',
  'Travel',
  'Linger',
  'Softly',
  'Kindly',
  'Slowly',
  'Gladly',
] as const

export function randomRoom(): string {
  return `${Array.from({ length: 4 }, () => WORDS[randomInt(WORDS.length)]).join('')}${randomInt(1000)}`
}
