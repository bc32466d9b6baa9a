/** The cost of an idle service, including its own PostgreSQL. */
import { measureTree } from '../shared/process-tree.ts'
import { type Figure, type Options, wait } from './measure.ts'
import { PlainInstallation } from './plain-installation.ts'
import { withService } from './service.ts'

/** Work that the start deferred is done after this time. */
const SETTLE_MS = 10_000

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const ms = isSmall ? 15_000 : 60_000
  const cost = async (pids: number[]) => {
    await wait(SETTLE_MS)
    const read = measureTree(() => pids)
    await wait(ms)
    return read()
  }
  const service = await withService({}, async (service) => {
    await service.start()
    return cost([service.pid, service.postmasterPid])
  })
  const installation = new PlainInstallation()
  try {
    await installation.start()
    const plain = await cost(installation.pids)
    return [
      {
        measure: 'memory of an idle service with its own PostgreSQL (shared pages once)',
        value: service.megabytes,
        unit: 'MB',
        plain: plain.megabytes,
        goal: { atMost: 250 },
      },
      {
        measure: 'processor time of an idle service with its own PostgreSQL',
        value: service.cores * 100,
        unit: '% of a core',
        plain: plain.cores * 100,
        goal: { atMost: 1 },
      },
    ]
  } finally {
    await installation.dispose()
  }
}
