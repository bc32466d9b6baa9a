/** The Kubernetes launcher on the real cluster that `KUBECONFIG` names, with a small image in place of the worker's. */
import { afterAll, beforeAll } from 'vitest'
import { kubernetesBench } from './kubernetes-bench.ts'
import { describeLauncher } from './launcher-contract.ts'
import { openRealCluster, type RealCluster, realConfig } from './real-cluster.ts'
import { buildStandInImage, whyNoImage } from './stand-in-image.ts'

const IMAGE = 'standin-test-stand-in-bot'
const config = realConfig()
const skipped = config === null ? 'KUBECONFIG names no cluster' : await whyNoImage()

let cluster: RealCluster

beforeAll(async () => {
  if (skipped !== null) return
  // The cluster's nodes use the same engine.
  await buildStandInImage(IMAGE)
  cluster = await openRealCluster(config!)
})

afterAll(async () => {
  if (skipped === null) await cluster.close()
})

describeLauncher(
  'Kubernetes',
  // Docker below a node writes long lines in pieces, and breaks characters there.
  async (limits) => ({ ...(await kubernetesBench(cluster, limits)), breaksCharacters: true }),
  skipped,
)
