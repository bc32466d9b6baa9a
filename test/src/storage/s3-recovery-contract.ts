/** Recovery on every S3 server: it needs listings, copies and completions by ETag alone. */
import { rm } from 'node:fs/promises'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, test } from 'vitest'
import { listAbandoned, recoverBucket } from '../../../src/storage/recovery/recover-bucket.ts'
import { recoverSpool } from '../../../src/storage/recovery/recover-spool.ts'
import { NUMBERED, numberedBody, numberedPiece } from './numbered-pieces.ts'
import { growthOf, never } from './place.ts'
import { type S3Place, TEST_TUNING } from './s3-place.ts'

const PIECE = 700_001
const PIECES = 20

export function s3RecoveryContract(name: string, getPlace: () => S3Place): void {
  describe(`recovery on ${name}`, () => {
    let place: S3Place
    let botId: string
    beforeEach(async () => {
      place = getPlace()
      place.proxy.onRequest = null
      botId = crypto.randomUUID()
      const file = await place.open(botId).grow(growthOf('video.mp4'), never)
      for (let number = 0; number < PIECES; number++) await file.append(numberedPiece(number, PIECE))
      await expect.poll(() => file.storedBytes()).toBe(2 * place.stepBytes)
      await expect.poll(keys).toEqual([expect.stringMatching(/video\.mp4\.[0-9a-f]{8}\.recovery$/)])
      await file.close()
    })

    async function keys(): Promise<string[]> {
      const list = { Bucket: place.bucket, Prefix: `team one/meetings/${botId}/` }
      const { Contents } = await place.client.send(new ListObjectsV2Command(list))
      return (Contents ?? []).map(({ Key = '' }) => Key.slice(list.Prefix.length))
    }

    test('stored parts and the spool give the whole recording', async () => {
      const { access_key_id, secret_access_key } = place.config()
      const credentials = { access_key_id, secret_access_key }
      const options = { format: NUMBERED, credentials, tuning: TEST_TUNING, signal: never }
      const { files, problems } = await recoverSpool(place.workFolder(botId), options)
      expect(problems).toEqual([])
      expect(files).toMatchObject([{ name: 'video.mp4', seconds: PIECES / 2, index: 'whole' }])
      const found = await place.read(botId, 'video.mp4')
      expect(found?.subarray(place.stepBytes).equals(numberedBody(PIECES, PIECE))).toBe(true)
      expect(await keys()).toEqual(['video.mp4'])
      expect(await place.leftovers(botId)).toEqual([])
    })

    test('stored parts alone give it up to the last whole piece in them', async () => {
      await rm(place.workFolder(botId), { recursive: true })
      const options = { botId, olderThanMs: 0, tuning: TEST_TUNING, signal: never }
      expect(await listAbandoned(place.config(), options)).toMatchObject([
        { bot_id: botId, name: 'video.mp4', bytes: 2 * place.stepBytes },
      ])
      const { files, problems } = await recoverBucket(place.config(), { ...options, format: NUMBERED })
      expect(problems).toEqual([])
      const pieces = Math.floor((2 * place.stepBytes) / PIECE)
      expect(files).toMatchObject([{ botId, seconds: pieces / 2, index: 'whole' }])
      const found = await place.read(botId, 'video.mp4')
      expect(found?.subarray(place.stepBytes).equals(numberedBody(pieces, PIECE))).toBe(true)
      expect(await keys()).toEqual(['video.mp4'])
      expect(await listAbandoned(place.config(), options)).toEqual([])
    })
  })
}
