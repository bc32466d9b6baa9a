/** AssumeRole of STS, and the session policies that come with it, for the S3 server of tests. Only what a policy allows is allowed. */
import { createHash, randomBytes } from 'node:crypto'
import { type Reply, type S3Request, toXml } from './s3-operations.ts'
import { checkSignature, type Keys, type Refusal } from './sigv4.ts'

export interface Statement {
  Effect: 'Allow'
  Action: string | string[]
  Resource: string
}

export interface Roles {
  /** Of the one role that there is. */
  arn: string
  /** The server's own maximum for a session. */
  maxSeconds: number
  /** Gives the keys of the role itself, as providers without session policies do. */
  ignoresPolicies?: boolean
  /** The role itself may not write. */
  isReadOnly?: boolean
}

/** The right that an operation needs; of a copy, the one for its target. */
const RIGHTS: Record<string, string> = {
  ListMultipartUploads: 's3:ListBucketMultipartUploads',
  ListObjectsV2: 's3:ListBucket',
  HeadBucket: 's3:ListBucket',
  HeadObject: 's3:GetObject',
  GetObject: 's3:GetObject',
  DeleteObject: 's3:DeleteObject',
  AbortMultipartUpload: 's3:AbortMultipartUpload',
  ListParts: 's3:ListMultipartUploadParts',
}

export const DENIED: Refusal = { status: 403, code: 'AccessDenied', message: 'Access Denied' }

/** The refusal of a request by the session policy of its keys; null if that allows it. */
export function refusalOf(policy: Statement[], request: S3Request): Refusal | null {
  const { operation, bucket, key } = request
  const needs: [string, string][] = [[RIGHTS[operation] ?? 's3:PutObject', key === '' ? bucket : `${bucket}/${key}`]]
  const source = request.headers['x-amz-copy-source']
  if (source !== undefined) needs.push(['s3:GetObject', decodeURIComponent(String(source)).replace(/^\//, '')])
  const isAllowed = ([action, place]: [string, string]) =>
    policy.some(
      ({ Action, Resource }) => [Action].flat().includes(action) && patternOf(Resource).test(`arn:aws:s3:::${place}`),
    )
  return needs.every(isAllowed) ? null : DENIED
}

function patternOf(resource: string): RegExp {
  const literal = resource.replace(/[\\^$.+()[\]{}|]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's')
}

export const isForSts = ({ method, url }: S3Request) => method === 'POST' && url === '/'

/** Answers `POST /`, and adds the keys that it gives to `known.keys`. */
export function answerSts(
  request: S3Request,
  roles: Roles | undefined,
  known: { keys: Keys[]; region: string; now: number },
): Reply | Refusal {
  if (roles === undefined) return { status: 405, code: 'MethodNotAllowed', message: 'Not here' }
  // Only S3 sends the digest of the body along.
  const headers = {
    ...request.headers,
    'x-amz-content-sha256': createHash('sha256').update(request.body).digest('hex'),
  }
  const signed = checkSignature({ ...request, headers }, known)
  if ('code' in signed) return signed
  const form = new URLSearchParams(request.body.toString('utf8'))
  const seconds = Number(form.get('DurationSeconds') ?? 3600)
  if (form.get('Action') !== 'AssumeRole') return { status: 400, code: 'InvalidAction', message: 'No such action' }
  if (form.get('RoleArn') !== roles.arn) return { ...DENIED, message: `Not allowed: ${form.get('RoleArn')}` }
  if (!(seconds >= 900 && seconds <= roles.maxSeconds) || !/^[\w+=,.@-]{2,64}$/.test(form.get('RoleSessionName') ?? ''))
    return { status: 400, code: 'ValidationError', message: 'DurationSeconds or RoleSessionName is wrong' }
  const given = JSON.parse(form.get('Policy') ?? '') as { Statement: Statement[] }
  const policy = roles.isReadOnly ? [] : roles.ignoresPolicies ? undefined : given.Statement
  const keys = {
    accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(20).toString('hex'),
    sessionToken: randomBytes(400).toString('base64'),
    expiresAt: known.now + seconds * 1000,
    ...(policy && { policy }),
  }
  known.keys.push(keys)
  const fields = {
    AccessKeyId: keys.accessKeyId,
    SecretAccessKey: keys.secretAccessKey,
    SessionToken: keys.sessionToken,
    Expiration: new Date(keys.expiresAt).toISOString(),
  }
  const inner = Object.entries(fields).map(([name, text]) => `<${name}>${toXml(text)}</${name}>`)
  const text =
    '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>' +
    `<Credentials>${inner.join('')}</Credentials></AssumeRoleResult></AssumeRoleResponse>`
  return { status: 200, headers: { 'content-type': 'text/xml' }, body: Buffer.from(text) }
}
