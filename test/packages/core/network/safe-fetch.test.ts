import { describe, expect, test } from 'vitest'
import { fetchPublic } from '../../../../packages/core/network/safe-fetch.ts'
import { loadBotImage, pictureDataUrl, pictureType } from '../../../../src/job/bot-image.ts'

const limits = { maxBytes: 100, timeoutMs: 5000, accept: '*/*' }

describe('addresses given by callers', () => {
  test.each([
    ['http://example.com/a.png', 'only https'],
    ['https://127.0.0.1/a.png', 'not a public address'],
    ['https://[::1]/a.png', 'not a public address'],
    ['https://2130706433/a.png', 'not a public address'],
    ['https://localhost/a.png', 'not a public address'],
  ])('%s is not fetched', async (address, reason) => {
    await expect(fetchPublic(address, limits)).rejects.toThrow(reason)
  })

  test('the error names the host and no part of the query', async () => {
    const error = await fetchPublic('https://localhost/a.png?token=s3cret', limits).catch((thrown: Error) => thrown)
    expect(String(error)).toContain('localhost')
    expect(String(error)).not.toContain('s3cret')
  })
})

describe('pictures', () => {
  test('are known by their first bytes', () => {
    expect(pictureType(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))).toBe('image/png')
    expect(pictureType(new Uint8Array([0xff, 0xd8, 0xff, 0xe0]))).toBe('image/jpeg')
    expect(pictureType(Buffer.from('RIFF0000WEBPVP8 '))).toBe('image/webp')
    expect(pictureType(Buffer.from('<svg onload=alert(1)>'))).toBeNull()
  })

  test('that are none, or too large, are refused', async () => {
    expect(() => pictureDataUrl(Buffer.from('GIF89a'))).toThrow('neither')
    expect(() => pictureDataUrl(new Uint8Array(6 * 1024 * 1024))).toThrow('larger')
    await expect(loadBotImage(`data:image/png;base64,${Buffer.from('hello').toString('base64')}`)).rejects.toThrow(
      'neither',
    )
  })
})
