// Makes a bucket on an S3-compatible server, and waits for a server that is still starting.
//
//   AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… node make-bucket.mjs http://127.0.0.1:9000 recordings

import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'

const [endpoint, Bucket] = process.argv.slice(2)
if (!URL.canParse(endpoint) || !Bucket || !process.env.AWS_ACCESS_KEY_ID) {
  console.error(
    'usage: AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… node make-bucket.mjs http://127.0.0.1:9000 recordings',
  )
  process.exit(2)
}
const client = new S3Client({ endpoint, region: process.env.AWS_REGION ?? 'us-east-1', forcePathStyle: true })
const deadline = Date.now() + 120_000
while (true) {
  try {
    await client.send(new CreateBucketCommand({ Bucket }))
    break
  } catch (error) {
    if (error.name === 'BucketAlreadyOwnedByYou') break
    const isStarting = error.$metadata?.httpStatusCode === undefined || error.$metadata.httpStatusCode >= 500
    if (!isStarting || Date.now() > deadline) throw error
    await sleep(500)
  }
}
console.log(`the bucket ${Bucket} is there`)
