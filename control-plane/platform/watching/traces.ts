/** Traces where the environment names an endpoint. Without one, no part of OpenTelemetry is loaded. */
import type { Log } from '../ports.ts'
import { NO_TRACES, type Traces } from '../traces.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface OpenedTraces {
  traces: Traces
  /** Sends what is left, for some seconds at most. */
  close(): Promise<void>
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const

/** Where spans go; null: there are none. */
export function traceEndpoint(environment: Environment): string | null {
  if (environment.OTEL_SDK_DISABLED === 'true') return null
  const [ofTraces, ofAll] = ENDPOINTS.map((name) => environment[name]?.trim() || null)
  return ofTraces ?? (ofAll ? `${ofAll!.replace(/\/+$/, '')}/v1/traces` : null)
}

/** The variables of OpenTelemetry say everything else; a mistake in them is no reason not to start. */
export async function openTraces(
  environment: Environment,
  { log, version }: { log: Log; version: string },
): Promise<OpenedTraces> {
  const url = traceEndpoint(environment)
  if (url === null) return { traces: NO_TRACES, close: async () => {} }
  try {
    const { startTracing } = await import('./open-telemetry.ts')
    return startTracing({ url, environment, version, log })
  } catch (error) {
    log.error({ error: String(error) }, 'Traces cannot be sent: OpenTelemetry could not be set up')
    return { traces: NO_TRACES, close: async () => {} }
  }
}
