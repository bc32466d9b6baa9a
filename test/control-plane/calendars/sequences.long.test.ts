import { runSequences } from './sequences.ts'

/** Others each time: `STANDIN_SEQUENCES` sets how many, `STANDIN_SEED` the first one, to repeat a run. */
function randomSeeds(usual: number): number[] {
  const first = Number(process.env.STANDIN_SEED ?? Math.floor(Math.random() * 2 ** 31))
  const seeds = Array.from({ length: Number(process.env.STANDIN_SEQUENCES ?? usual) }, (_, index) => first + index)
  console.log(`Seeds ${first} to ${seeds.at(-1)}`)
  return seeds
}

await runSequences(() => randomSeeds(300), 3_600_000)
