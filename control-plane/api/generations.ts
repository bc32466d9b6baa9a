/** All generations of the API. The order does not matter: the longest prefix of a path decides. */
import type { Generation } from './generation.ts'
import { newerGeneration } from './v2/index.ts'

export const GENERATIONS: readonly Generation[] = [newerGeneration]
