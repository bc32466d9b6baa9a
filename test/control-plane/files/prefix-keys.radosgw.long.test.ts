import { randomUUID } from 'node:crypto'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { storageSchema } from '@standin/wire/job.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { S3Config } from '../../../src/storage/s3/session.ts'
import { S3Storage } from '../../../src/storage/s3/storage.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { type Radosgw, startRadosgw } from '../../servers/radosgw.ts'
import { s3ClientOf } from '../../servers/s3-server.ts'
import { numberedBody, numberedPiece } from '../../src/storage/numbered-pieces.ts'
import { growthOf, head, never } from '../../src/storage/place.ts'
import { TEST_TUNING } from '../../src/storage/s3-place.ts'
import { openKeys, prefixKeysContract, type WithRole } from './prefix-keys-contract.ts'

let server: Radosgw | undefined
let settings: WithRole

beforeAll(async () => {
  server = await startRadosgw({ hasSts: true })
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  const client = s3ClientOf({ endpoint, region, accessKeyId, secretAccessKey })
  await client.send(new CreateBucketCommand({ Bucket: 'recordings' }))
  client.destroy()
  const roleArn = await server.createRole('bots')
  settings = { type: 's3', bucket: 'recordings', prefix: 'all/of it', endpoint, accessKeyId, secretAccessKey, roleArn }
})

afterAll(() => server?.stop())

prefixKeysContract("Ceph's radosgw", () => settings)

test('a role that is not there, or that this identity may not assume, is named as the mistake', async () => {
  const problemOf = async (roleArn: string) => (await openKeys({ ...settings, roleArn })).checkKeys!()
  await expect(problemOf('arn:aws:iam:::role/none')).rejects.toThrow(/STANDIN_STORAGE_ROLE .*The role may not exist/)
  const foreign = await server!.createRole('foreign', 'somebody')
  await expect(problemOf(foreign)).rejects.toThrow('STS refuses the role of STANDIN_STORAGE_ROLE (Unknown 403)')
})

test('keys that the server takes for ended are renewed, and no part is lost', async () => {
  // Its shortest session lasts a quarter of an hour, so the keys of the job are forged.
  const botId = randomUUID()
  const { store } = await openKeys(settings)
  const job = storageSchema.parse(store.jobStorage(botId, 1)) as S3Config
  const keys = await store.prefixKeys!(botId, 1)
  const forged = { ...keys, session_token: `${keys.session_token.slice(0, -8)}AAAAAAA=` }
  let ahead = 0
  const clock = { now: () => Date.now() + ahead, sleep: systemClock.sleep }
  const workFolder = temporaryFolder()
  const tuning = { ...TEST_TUNING, clock, freshKeys: () => store.prefixKeys!(botId, 1) }
  const storage = new S3Storage({ ...job, ...forged }, { botId, workFolder }, tuning)
  const file = await storage.grow(growthOf('video.mp4'), never)
  for (let number = 0; number < 20; number++) await file.append(numberedPiece(number, 700_001))
  expect(file.storedBytes()).toBe(0)
  ahead = 61_000
  await file.finish((room) => head(room!), never)
  const stored = await store.read(`${botId}/1/${botId}/video.mp4`, 1e9)
  expect(Buffer.from(stored!).subarray(TEST_TUNING.partBytes!).equals(numberedBody(20, 700_001))).toBe(true)
})
