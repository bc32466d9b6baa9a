/** The one file that knows OpenTelemetry: spans over HTTP to the endpoint that `traces.ts` found. */

import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import type { Log } from '../ports.ts'
import type { Attributes, Span, Traces } from '../traces.ts'
import type { OpenedTraces } from './traces.ts'

/** An endpoint that is away must not keep the service from ending. */
const CLOSE_WITHIN_MS = 3_000
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

export interface TracingSettings {
  url: string
  environment: Readonly<Record<string, string | undefined>>
  version: string
  log: Log
}

export function startTracing({ url, environment, version, log }: TracingSettings): OpenedTraces {
  const exporter = new OTLPTraceExporter({ url })
  const named = resourceFromAttributes({
    'service.name': environment.OTEL_SERVICE_NAME || 'standin',
    'service.version': version,
  })
  const resource = defaultResource()
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(named)
  const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const tracer = provider.getTracer('standin', version)
  const traces: Traces = {
    isOn: true,
    begin(name, { parent, kind = 'internal', attributes = {}, startedAt }) {
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          attributes: withoutNull(attributes),
          ...(startedAt !== undefined && { startTime: startedAt }),
        },
        contextOf(parent),
      )
      const { traceId, spanId, traceFlags } = span.spanContext()
      const opened: Span = {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`,
        end({ attributes: more = {}, error = null, at } = {}) {
          span.setAttributes(withoutNull(more))
          if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
          span.end(at)
        },
      }
      return opened
    },
  }
  log.info({ host: new URL(url).host }, 'Traces are sent')
  return {
    traces,
    async close() {
      const late = () => new Error('The last spans were not sent in time')
      await within(systemClock, CLOSE_WITHIN_MS, provider.shutdown(), late).catch(() => {})
    },
  }
}

function contextOf(traceparent: string | null): Context {
  if (traceparent === null) return ROOT_CONTEXT
  const [, traceId, spanId, flags] = traceparent.split('-')
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceId!,
    spanId: spanId!,
    traceFlags: Number.parseInt(flags!, 16),
    isRemote: true,
  })
}

function withoutNull(attributes: Attributes): Record<string, string | number | boolean> {
  const entries = Object.entries(attributes).filter(([, value]) => value !== null)
  return Object.fromEntries(entries) as Record<string, string | number | boolean>
}
