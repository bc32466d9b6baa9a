import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../core/network/address-policy.ts'
import { fetchPublic } from '../../../core/network/safe-fetch.ts'
import { loadBotImage, pictureDataUrl, pictureType } from '../../../src/job/bot-image.ts'

const limits = { maxBytes: 100, timeoutMs: 5000, accept: '*/*' }

describe('addresses given by callers', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2001:db8::1',
    '192.88.99.1',
    '192.175.48.1',
    '3fff::1',
    '2001:2::1',
    '2002:7f00:1::',
    '64:ff9b:1::1',
    '4000::1',
    '0177.0.0.1',
    'not an address',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

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
