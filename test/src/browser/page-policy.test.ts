import { expect, test } from 'vitest'
import { widenedHeaders, widenedPolicy } from '../../../src/browser/page-policy.ts'

const widened = (policy: string) =>
  Object.fromEntries(
    widenedPolicy(policy, 'ours')
      .split('; ')
      .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
  )

test('a policy gets what the worker needs, and keeps everything else', () => {
  expect(
    widened(
      "default-src 'none'; Script-Src 'self' https://a.example; worker-src 'none'; connect-src wss://b.example; " +
        "require-trusted-types-for 'script'; trusted-types goog#html; report-uri /csp",
    ),
  ).toEqual({
    'default-src': "'none'",
    'script-src': "'self' https://a.example 'wasm-unsafe-eval'",
    'worker-src': 'blob:',
    'connect-src': 'wss://b.example',
    'require-trusted-types-for': "'script'",
    'trusted-types': 'goog#html ours',
    'report-uri': '/csp',
  })
})

test.each([
  ['child-src', "child-src 'self'; script-src 'nonce-a'", { 'worker-src': "'self' blob:" }],
  ['script-src', "script-src 'nonce-a' 'strict-dynamic'", { 'worker-src': "'nonce-a' 'strict-dynamic' blob:" }],
  ['default-src', "default-src 'self'", { 'worker-src': "'self' blob:", 'script-src': "'self' 'wasm-unsafe-eval'" }],
])('what workers are allowed by %s they are still', (_, policy, expected) => {
  expect(widened(policy)).toMatchObject(expected)
})

test('a policy that forbids neither is as it was', () => {
  expect(widenedPolicy("object-src 'none'; base-uri 'self'; upgrade-insecure-requests", 'ours')).toBe(
    "object-src 'none'; base-uri 'self'; upgrade-insecure-requests",
  )
})

test("'none' is no source beside others, in Trusted Types too", () => {
  expect(widened("trusted-types 'none'; script-src 'NONE'")).toMatchObject({
    'trusted-types': 'ours',
    'script-src': "'wasm-unsafe-eval'",
  })
})

test('the first directive of a name counts, as in a browser', () => {
  expect(widened("script-src 'self'; script-src *")['script-src']).toBe("'self' 'wasm-unsafe-eval'")
})

test('each of several policies is widened: all of them hold', () => {
  expect(widenedPolicy("script-src 'self', worker-src 'none'", 'ours')).toBe(
    "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:, worker-src blob:",
  )
})

test('every header of the name is read, whatever its case; reports and others stay, but for what belonged to the way', () => {
  const headers = [
    { name: 'Content-Security-Policy', value: "script-src 'self'" },
    { name: 'content-security-policy', value: "worker-src 'none'" },
    { name: 'Content-Security-Policy-Report-Only', value: "script-src 'none'" },
    { name: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
    { name: 'Set-Cookie', value: 'a=b, c' },
    { name: 'content-encoding', value: 'br' },
    { name: 'Content-Length', value: '123' },
  ]
  const [first, second, ...others] = widenedHeaders(headers, 'ours')!
  expect(first!.value).toContain("'wasm-unsafe-eval'")
  expect(second!.value).toBe('worker-src blob:')
  expect(others).toEqual(headers.slice(2, 4))
  expect(widenedHeaders(headers.slice(2), 'ours')).toBeNull()
})
