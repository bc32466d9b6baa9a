import { describe, expect, test } from 'vitest'
import { explainS3Error, isTransientS3Error, type S3Place } from '../../../../src/storage/s3/errors.ts'

const place: S3Place = {
  bucket: 'recordings',
  key: 'bot/video.mp4',
  endpoint: 'https://s3.example.org',
  region: 'us-east-1',
  step: 'store',
  secrets: ['a-secret-key', 'a-session-token'],
  gaveUp: null,
}

/** As the SDK throws for an answer of the server. */
function answered(status: number, code: string, message = '', fields: Record<string, unknown> = {}): Error {
  return Object.assign(new Error(message), { name: code, $metadata: { httpStatusCode: status }, ...fields })
}

/** As Node throws for trouble with a connection. */
function broken(code: string, message = code): Error {
  return Object.assign(new Error(message), { code })
}

describe('trouble that may pass', () => {
  test.for([
    answered(503, 'SlowDown'),
    answered(500, 'InternalError'),
    answered(502, 'UnknownError'),
    answered(504, 'GatewayTimeout'),
    answered(429, 'TooManyRequests'),
    answered(408, 'RequestTimeout'),
    answered(400, 'BadDigest'),
    answered(409, 'OperationAborted'),
    answered(429, 'RequestQuotaExceeded'),
    answered(503, 'ANewWord'),
    answered(403, 'RequestTimeTooSkewed', '', { $metadata: { httpStatusCode: 403, clockSkewCorrected: true } }),
    broken('ECONNREFUSED'),
    broken('ECONNRESET', 'socket hang up'),
    broken('EPIPE'),
    broken('EAI_AGAIN'),
    new Error('aborted'),
    Object.assign(new Error('timed out'), { name: 'TimeoutError' }),
  ])('%s is tried again', (error) => {
    expect(isTransientS3Error(error)).toBe(true)
  })

  test.for([
    answered(403, 'AccessDenied'),
    answered(403, 'RequestTimeTooSkewed'),
    answered(400, 'ExpiredToken'),
    answered(404, 'NoSuchBucket'),
    answered(404, 'NoSuchUpload'),
    answered(501, 'NotImplemented'),
    answered(507, 'XMinioStorageFull'),
    answered(507, 'UnknownError'),
    answered(500, 'BucketQuotaExceeded'),
    answered(511, 'UnknownError'),
    answered(500, 'InternalError', 'write failed: no space left on device'),
    answered(400, 'OutOfSpace'),
    answered(301, 'PermanentRedirect'),
    broken('DEPTH_ZERO_SELF_SIGNED_CERT'),
    broken('EPROTO'),
    new TypeError('a defect of ours'),
    'thrown text',
    null,
  ])('%s is not', (error) => {
    expect(isTransientS3Error(error)).toBe(false)
  })
})

describe('the explanation', () => {
  test.for([
    [answered(403, 'AccessDenied', 'Access Denied'), 'access', 'They need s3:PutObject, s3:GetObject'],
    [answered(403, 'Forbidden'), 'access', 'They need s3:PutObject, s3:GetObject'],
    [answered(404, 'NoSuchBucket'), 'missing', 'There is no such bucket'],
    [answered(404, 'NotFound'), 'missing', 'The bucket or the file is not there'],
    [answered(403, 'UnknownError'), 'access', 'They need s3:PutObject, s3:GetObject'],
    [
      answered(403, 'AccessDenied', 'Request has expired'),
      'access',
      '(Request has expired). See what the server said.',
    ],
    [
      answered(403, 'SignatureDoesNotMatch', 'Not equal'),
      'access',
      '403 SignatureDoesNotMatch (Not equal). The server computed',
    ],
    [answered(403, 'RequestTimeTooSkewed'), 'access', "This machine's clock differs too much"],
    [answered(403, 'InvalidAccessKeyId'), 'access', 'Check access_key_id'],
    [
      answered(301, 'PermanentRedirect', '', { $response: { headers: { 'x-amz-bucket-region': 'eu-west-1' } } }),
      'invalid',
      'Set storage.region to eu-west-1.',
    ],
    [
      answered(400, 'IllegalLocationConstraintException'),
      'invalid',
      'The bucket is in another region and not in us-east-1. Set storage.region.',
    ],
    [answered(400, 'EntityTooLarge'), 'full', 'refuses files of this size'],
    [answered(507, 'UnknownError'), 'full', 'no room left'],
    [
      answered(507, 'XMinioStorageFull', 'Too little'),
      'full',
      '507 XMinioStorageFull (Too little). The server has no room',
    ],
    [answered(403, 'storage_cap_exceeded'), 'full', 'no room left'],
    [answered(400, 'XMinioAdminBucketQuotaExceeded'), 'full', 'no room left'],
    [answered(403, 'AccessDenied', 'Storage quota exceeded for this account'), 'full', 'no room left'],
    [answered(403, 'AccessDenied', 'Your account is over its quota'), 'full', 'no room left'],
    [answered(507, 'SyntaxError', 'XML parse error: mismatched tags'), 'full', 'no room left'],
    [answered(403, 'AccessDenied', 'The bucket owner must have full control'), 'access', 'full control). See what the'],
    [
      answered(403, 'AccessDenied', 'Access denied: account suspended'),
      'access',
      'suspended). See what the server said',
    ],
    [answered(403, 'UnknownError', 'Your key was rotated'), 'access', 'rotated). See what the server said'],
    [answered(400, 'UnknownError', 'This tenant is asleep'), 'other', '400 (This tenant is asleep). See what'],
    [
      answered(403, 'Error', 'XML parse error: mismatched tags', {
        $responseBodyText: '<html><style>p{}</style><h1>Sorry</h1><p>You have been blocked',
      }),
      'invalid',
      '403 (Sorry You have been blocked).',
    ],
    [
      answered(403, 'Unknown', 'UnknownError', { head: { title: 'Blocked by a firewall' } }),
      'access',
      '403 (Blocked by a firewall). See what',
    ],
    [answered(503, 'SlowDown', 'Request quota of this bucket is used up'), 'unreachable', 'Try again later'],
    [answered(407, 'UnknownError'), 'unreachable', 'wants a sign-in'],
    [answered(502, 'SyntaxError', 'XML parse error: mismatched tags'), 'unreachable', 'a proxy before it'],
    [answered(500, 'InternalError'), 'unreachable', 'https://s3.example.org has internal errors'],
    [broken('ENOTFOUND'), 'unreachable', 'https://s3.example.org cannot be reached'],
    [broken('CERT_HAS_EXPIRED'), 'invalid', 'NODE_EXTRA_CA_CERTS'],
    [
      Object.assign(new Error('Region is missing'), {}),
      'invalid',
      'Set storage.region, or the environment variable AWS_REGION',
    ],
    [Object.assign(new Error('none'), { name: 'CredentialsProviderError' }), 'access', 'No credentials were found'],
    [answered(418, 'Teapot', 'I am a teapot'), 'other', '418 Teapot (I am a teapot)'],
    ['thrown text', 'other', 'See what the server said'],
  ] as const)('of %s says what it is and what to do', ([error, trouble, words]) => {
    const explained = explainS3Error(error, place)
    expect(explained).toMatchObject({ name: 'StorageError', trouble })
    expect(explained.message).toMatch(/^Cannot store s3:\/\/recordings\/bot\/video\.mp4: /)
    expect(explained.message).toContain(words)
  })

  test.for([
    [400, 'other'],
    [401, 'access'],
    [403, 'access'],
    [404, 'missing'],
    [409, 'other'],
    [501, 'invalid'],
    [503, 'unreachable'],
  ] as const)('of %s with a code that no rule knows is in the words of the server', ([status, trouble]) => {
    const explained = explainS3Error(answered(status, 'TenantIsAsleep', 'Wake it up first'), place)
    expect(explained.trouble).toBe(trouble)
    expect(explained.message).toMatch(/: \d+ TenantIsAsleep \(Wake it up first\)\. See what the server said\.$/)
  })

  test('says how long was tried', () => {
    const explained = explainS3Error(broken('ECONNREFUSED'), { ...place, gaveUp: { attempts: 7, elapsedMs: 61_400 } })
    expect(explained.message).toContain('s3://recordings/bot/video.mp4 after 7 attempts in 61 s: ECONNREFUSED.')
  })

  test('never holds a secret, a signed address, a control character or endless text of the server', () => {
    const message = `no a-secret-key at https://s3.example.org/k?X-Amz-Signature=abc123 \u0007\na-session-token ${'x'.repeat(9_999)}`
    const explained = explainS3Error(answered(400, 'Odd', message, { Signature: 'hidden' }), place)
    expect(explained.message).toMatch(/no \[secret\] at https:\/\/s3\.example\.org\/k\?\[signed\] +\[secret\] x/)
    expect(explained.message).not.toMatch(/a-secret-key|a-session-token|abc123|\n/)
    expect(explained.message).not.toContain('\u0007')
    expect(explained.message.length).toBeLessThan(500)
    expect(explained.cause).toBeUndefined()
  })
})
