/** All generations of the API. The order does not matter: the longest prefix of a path decides. */
import { compatNewerGeneration, compatOlderGeneration } from './compat/index.ts'
import { dashboardGeneration } from './dashboard/index.ts'
import type { Generation } from './http/generation.ts'
import { olderGeneration } from './older/index.ts'
import { newerGeneration } from './v2/index.ts'

export const GENERATIONS: readonly Generation[] = [
  newerGeneration,
  olderGeneration,
  compatNewerGeneration,
  compatOlderGeneration,
  dashboardGeneration,
]
