/**
 * Needs of a bot by recording mode and platform, learned from the bots that ran. Pure.
 *
 * Of each kind the 95th percentile counts, one figure for each bot. Figures that are missing to twenty are assumed ones, so
 * that what is assumed fades with evidence, and a single bot that reports nonsense never counts. With three teams or more,
 * a figure has to hold without any one of them.
 */
import { RECORDING_MODES, type RecordingMode } from '@standin/wire/codes.ts'
import { MEETING_PLATFORMS } from '@standin/wire/meeting-links/types.ts'
import type { Need } from '../../../ports.ts'

export const MIB = 1024 ** 2

/** Bots of one kind share a figure. */
export interface BotKind {
  mode: string
  platform: string
}

/** The use of one bot. */
export interface NeedSample extends BotKind, Need {
  team: string
  /** Null unless it ended for lack of memory: its limit then, or what it had taken if there was none. */
  outOfMemoryAt: number | null
}

interface KindNeed extends BotKind, Need {
  /** Bots that the figures were learned from. */
  samples: number
}

/** The operator's bounds of one bot. */
export interface BotBounds {
  memoryBytes: { least: number; most: number }
  cores: { least: number; most: number }
  /** Limits of a container are so many times what the bot is expected to take. */
  headroom: number
}

/** The figures to plan with in docs/operating.md. */
const VIDEO: Need = { cores: 0.7, memoryBytes: 1024 * MIB }
const ASSUMED: Record<RecordingMode, Need> = {
  speaker_view: VIDEO,
  gallery_view: VIDEO,
  audio_only: { cores: 0.3, memoryBytes: 1024 * MIB },
}
/** No bot is expected to take less. */
const LEAST: Need = { cores: 0.05, memoryBytes: 128 * MIB }
/** Higher reports count as this much. */
const ABSURD: Need = { cores: 64, memoryBytes: 64 * 1024 * MIB }
/** So many figures count fully; one of so many is left out as too high. */
const ENOUGH = 20
/** From so many teams on, none of them alone decides. */
const MIN_TEAMS = 3
/** A bot that had no more memory gets so many times what it had. */
const OUT_OF_MEMORY_GROWTH = 1.5

export const assumedNeed = (mode: string): Need => ASSUMED[mode as RecordingMode] ?? VIDEO

export interface LearnedNeeds {
  /** Of an unknown platform that of the mode, of an unknown mode that of all bots. */
  of(kind: BotKind): KindNeed
  /** Every mode on every platform. */
  all(): KindNeed[]
}

export function learnNeeds(heard: readonly NeedSample[], bounds: BotBounds): LearnedNeeds {
  const samples = heard.flatMap((sample) => plausible(sample, bounds))
  const known = new Map<string, KindNeed>()

  function learned(kind: BotKind): KindNeed {
    const ofMode = samples.filter(({ mode }) => mode === kind.mode)
    const ofKind = ofMode.filter(({ platform }) => platform === kind.platform)
    const isKnownMode = (RECORDING_MODES as readonly string[]).includes(kind.mode)
    const all = isKnownMode ? assumedNeed(kind.mode) : figuresOf(samples, VIDEO)
    const need = figuresOf(ofKind, figuresOf(ofMode, all))
    return { ...kind, ...bounded(need, bounds), samples: ofKind.length }
  }

  function of(kind: BotKind): KindNeed {
    const key = JSON.stringify([kind.mode, kind.platform])
    const need = known.get(key) ?? learned(kind)
    known.set(key, need)
    return need
  }

  return {
    of,
    all: () => RECORDING_MODES.flatMap((mode) => MEETING_PLATFORMS.map((platform) => of({ mode, platform }))),
  }
}

/** Memory and cores that a container may take. */
export function limitsOf(need: Need, { memoryBytes, cores, headroom }: BotBounds): Need {
  return {
    cores: between(need.cores * headroom, Math.min(cores.least, cores.most), cores.most),
    memoryBytes: Math.round(
      between(need.memoryBytes * headroom, Math.min(memoryBytes.least, memoryBytes.most), memoryBytes.most),
    ),
  }
}

/** The need of a bot that had no more memory at `brokenBytes`. */
export function afterOutOfMemory<N extends Need>(need: N, brokenBytes: number, bounds: BotBounds): N {
  const most = Math.max(need.memoryBytes, bounds.memoryBytes.most)
  return { ...need, memoryBytes: Math.round(between(grown(brokenBytes, bounds), need.memoryBytes, most)) }
}

/** With the headroom that makes a limit `OUT_OF_MEMORY_GROWTH` times as high as the broken one. */
const grown = (brokenBytes: number, { headroom }: BotBounds) => (brokenBytes * OUT_OF_MEMORY_GROWTH) / headroom

function bounded({ cores, memoryBytes }: Need, bounds: BotBounds): Need {
  return {
    cores: between(cores, Math.min(LEAST.cores, bounds.cores.most), bounds.cores.most),
    memoryBytes: Math.round(
      between(memoryBytes, Math.min(LEAST.memoryBytes, bounds.memoryBytes.most), bounds.memoryBytes.most),
    ),
  }
}

function plausible(sample: NeedSample, bounds: BotBounds): NeedSample[] {
  const { cores, memoryBytes, outOfMemoryAt } = sample
  if (!(cores >= 0 && memoryBytes >= 0 && !Number.isNaN(outOfMemoryAt))) return []
  const missed = outOfMemoryAt === null ? 0 : Math.max(memoryBytes, grown(outOfMemoryAt, bounds))
  return [
    {
      ...sample,
      cores: Math.min(cores, ABSURD.cores),
      memoryBytes: Math.min(Math.max(memoryBytes, missed), ABSURD.memoryBytes),
    },
  ]
}

function figuresOf(samples: readonly NeedSample[], assumed: Need): Need {
  const killed = samples.filter(({ outOfMemoryAt }) => outOfMemoryAt !== null)
  const teams = new Set(samples.map(({ team }) => team))
  const cores = rank(samples.map(({ team, cores: value }) => ({ team, value })))
  const memory = rank(samples.map(({ team, memoryBytes: value }) => ({ team, value })))
  const without = (team: string | null): Need => ({
    cores: cores(team, assumed.cores),
    // Its end is proved by the engine, not reported by the bot: one is enough.
    memoryBytes: killed.reduce(
      (most, sample) => (sample.team === team ? most : Math.max(most, sample.memoryBytes)),
      memory(team, assumed.memoryBytes),
    ),
  })
  const all = without(null)
  if (teams.size < MIN_TEAMS) return all
  return [...teams].map(without).reduce(
    (least, each) => ({
      cores: Math.min(least.cores, each.cores),
      memoryBytes: Math.min(least.memoryBytes, each.memoryBytes),
    }),
    all,
  )
}

/** The 95th percentile of the values without those of a team, filled up with the assumed value. */
function rank(values: { team: string; value: number }[]): (team: string | null, assumed: number) => number {
  const sorted = values.toSorted((a, b) => b.value - a.value)
  const counts = new Map<string, number>()
  for (const { team } of sorted) counts.set(team, (counts.get(team) ?? 0) + 1)
  return (without, assumed) => {
    const count = sorted.length - (without === null ? 0 : (counts.get(without) ?? 0))
    let missing = Math.max(0, ENOUGH - count)
    let above = Math.floor(Math.max(ENOUGH, count) / ENOUGH)
    for (const { team, value } of sorted) {
      if (team === without) continue
      if (missing > 0 && assumed >= value) {
        if (above < missing) return assumed
        above -= missing
        missing = 0
      }
      if (above === 0) return value
      above--
    }
    return assumed
  }
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
