import { afterAll, beforeAll } from 'vitest'
import { type S3Server, startS3Server } from '../../../servers/s3-server.ts'
import { storageContract } from '../contract.ts'
import { growthContract } from '../growth-contract.ts'
import { s3Contract } from '../s3-contract.ts'
import { openS3Place, type S3Place } from '../s3-place.ts'
import { s3RecoveryContract } from '../s3-recovery-contract.ts'

let server: S3Server
let place: S3Place

beforeAll(async () => {
  server = await startS3Server()
  const access = { endpoint: server.endpoint, region: server.region, ...server.keys }
  place = await openS3Place(access, server.bucket)
})

afterAll(async () => {
  await place.close()
  await server.close()
})

storageContract('our S3 server', () => place)
s3Contract('our S3 server', () => place)
growthContract('our S3 server', () => place)
s3RecoveryContract('our S3 server', () => place)
