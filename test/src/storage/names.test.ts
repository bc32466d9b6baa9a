import { describe, expect, test } from 'vitest'
import { objectKey, parseS3Address } from '../../../src/storage/names.ts'

describe('an S3 address', () => {
  test.for([
    ['s3://bucket', 'bucket', ''],
    ['s3://bucket/', 'bucket', ''],
    ['s3://my.bucket-1/a/b', 'my.bucket-1', 'a/b'],
    ['s3://Old_Bucket//a/b//', 'Old_Bucket', 'a/b'],
    ['s3://bucket/two words/100%25?x=1#y', 'bucket', 'two words/100%25?x=1#y'],
    ['s3://bucket/Überblick 会议', 'bucket', 'Überblick 会议'],
  ] as const)('%j is read', ([address, bucket, prefix]) => {
    expect(parseS3Address(address)).toEqual({ bucket, prefix })
  })

  test.for([
    ...['', 'bucket/prefix', 's3:/bucket', 's3://', 's3:///prefix', 's3://ab', 's3://-bucket', 's3://bucket.'],
    ...['s3://two words/x', 's3://user:password@bucket/x', `s3://${'b'.repeat(64)}`],
    ...['https://bucket.s3.amazonaws.com/x', 'S3://bucket'],
  ])('%j is refused', (address) => {
    expect(() => parseS3Address(address)).toThrow('is not an address such as s3://bucket/prefix')
  })

  test.for(['s3://bucket/a/../b', 's3://bucket/./a', 's3://bucket/a//b', 's3://bucket/a\nb', 's3://bucket/a\\b'])(
    'the prefix of %j is refused',
    (address) => {
      expect(() => parseS3Address(address)).toThrow(/^The S3 prefix /)
    },
  )
})

describe('a key', () => {
  test('is prefix, bot id and name', () => {
    expect(objectKey('a/b', 'bot', 'debug/page.html')).toBe('a/b/bot/debug/page.html')
    expect(objectKey('', 'bot', 'video.mp4')).toBe('bot/video.mp4')
    expect(objectKey('/a/', 'bot', 'video.mp4')).toBe('a/bot/video.mp4')
  })

  test('has at most 1024 bytes, with any characters', () => {
    const prefix = (letters: number) =>
      Array.from({ length: letters }, () => 'é')
        .join('')
        .replace(/(.{100})(?=.)/g, '$1/')
    const longest = objectKey(prefix(504), 'bot', 'name')
    expect(Buffer.byteLength(longest)).toBe(1022)
    expect(() => objectKey(prefix(506), 'bot', 'name')).toThrow('longer than 1024 bytes')
  })
})
