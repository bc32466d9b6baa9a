/** From the command to the first answer of the API: on a fresh data folder, and on one that is there. */
import { type Figure, type Options, percentile } from './measure.ts'
import { PlainInstallation } from './plain-installation.ts'
import { withService } from './service.ts'

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const rounds = isSmall ? 1 : 3
  const first: number[] = []
  const later: number[] = []
  const plainFirst: number[] = []
  const plainLater: number[] = []
  for (let round = 0; round < rounds; round++) {
    await withService({}, async (service) => {
      first.push(await service.start())
      await service.end('SIGTERM')
      later.push(await service.start())
    })
    const plain = new PlainInstallation()
    try {
      plainFirst.push(await plain.start())
      await plain.stop()
      plainLater.push(await plain.start())
    } finally {
      await plain.dispose()
    }
  }
  const seconds = (times: number[]) => percentile(times, 0.5) / 1000
  const figure = (measure: string, times: number[], plain: number[], atMost: number) => ({
    measure,
    value: seconds(times),
    unit: 's',
    plain: seconds(plain),
    goal: { atMost },
  })
  return [
    figure('first start until the API answers', first, plainFirst, 8),
    figure('later start until the API answers', later, plainLater, 4),
  ]
}
