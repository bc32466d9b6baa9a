import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll } from 'vitest'
import { type Radosgw, startRadosgw } from '../../../servers/radosgw.ts'
import { storageContract } from '../contract.ts'
import { growthContract } from '../growth-contract.ts'
import { s3Contract } from '../s3-contract.ts'
import { openS3Place, type S3Place } from '../s3-place.ts'
import { s3RecoveryContract } from '../s3-recovery-contract.ts'

let server: Radosgw | undefined
let place: S3Place

beforeAll(async () => {
  server = await startRadosgw()
  place = await openS3Place(server, 'recordings')
  await place.client.send(new CreateBucketCommand({ Bucket: place.bucket }))
})

afterAll(async () => {
  await place?.close()
  await server?.stop()
})

storageContract("Ceph's radosgw", () => place)
s3Contract("Ceph's radosgw", () => place)
growthContract("Ceph's radosgw", () => place)
s3RecoveryContract("Ceph's radosgw", () => place)
