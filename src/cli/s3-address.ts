import { InvalidJob } from '../job/config.ts'

/** Bucket and prefix of an address such as `s3://bucket/prefix`. `option` is named in the InvalidJob that it throws. */
export function s3AddressOf(address: string, option: string): { bucket: string; prefix: string } {
  const { bucket, prefix } = /^s3:\/\/(?<bucket>[^/]+)\/?(?<prefix>.*)$/.exec(address)?.groups ?? {}
  if (bucket === undefined || prefix === undefined)
    throw new InvalidJob([{ path: option, message: 'must be s3://bucket/prefix' }])
  return { bucket, prefix }
}
