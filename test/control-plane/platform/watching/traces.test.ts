import { expect, test } from 'vitest'
import { readTraceparent, traceOf } from '../../../../control-plane/platform/traces.ts'
import { openTraces, traceEndpoint } from '../../../../control-plane/platform/watching/traces.ts'

test('the endpoint is that of traces, or made of the one for everything', () => {
  expect(traceEndpoint({})).toBeNull()
  expect(traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeNull()
  expect(traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' })).toBe('http://c:4318/v1/traces')
  const both = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x' }
  expect(traceEndpoint(both)).toBe('http://t/x')
  expect(traceEndpoint({ ...both, OTEL_SDK_DISABLED: 'true' })).toBeNull()
})

test('an invalid address is logged, and the service starts without traces', async () => {
  const errors: string[] = []
  const log = { info() {}, warn() {}, error: (fields: object) => errors.push(JSON.stringify(fields)) }
  const { traces, close } = await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'not an address' }, { log, version: '1' })
  expect(traces.isOn).toBe(false)
  expect(errors).toHaveLength(1)
  await close()
})

test('a bot without a stored trace has one of its id, which never changes', () => {
  const id = '01997b2c-3f52-7c1d-9a3e-5b7c9d0e1f2a'
  expect(traceOf({ id, traceparent: null })).toBe(traceOf({ id, traceparent: null }))
  expect(readTraceparent(traceOf({ id, traceparent: null }))).not.toBeNull()
})
