/**
 * `npm test` draws from fixed seeds, so that it says the same about the same code. The long lane draws other ones each time:
 * `STANDIN_SEQUENCES` sets how many, `STANDIN_SEED` the first one, to repeat a run. A seed that found a defect joins the fixed ones.
 */
export function randomSeeds(usual: number): number[] {
  const first = Number(process.env.STANDIN_SEED ?? Math.floor(Math.random() * 2 ** 31))
  const seeds = Array.from({ length: Number(process.env.STANDIN_SEQUENCES ?? usual) }, (_, index) => first + index)
  console.log(`Seeds ${first} to ${seeds.at(-1)}`)
  return seeds
}
