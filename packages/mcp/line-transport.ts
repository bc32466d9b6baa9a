/** The protocol's messages, one JSON text a line, as the transport of the SDK reads them, and two things that it does not take. */
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'

interface Batch {
  open: Set<RequestId>
  answers: unknown[]
}

/**
 * Takes batches, which one version of the protocol has: the answers to the requests of a batch go out together. Takes
 * `arguments: null`, and a call without them, of a tool that needs none. A line that is no message is answered with an error.
 */
export class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #batches = new Set<Batch>()

  constructor(input: Readable = process.stdin, output: Writable = process.stdout) {
    this.#input = input
    this.#output = output
  }

  async start(): Promise<void> {
    createInterface({ input: this.#input }).on('line', (line) => {
      if (line.trim() !== '') this.#take(line)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = 'id' in message && !('method' in message) ? message.id : undefined
    const batch = this.#batchOf(id)
    if (id === undefined || batch === undefined) return this.#write(message)
    batch.open.delete(id)
    batch.answers.push(message)
    if (batch.open.size === 0) this.#finish(batch)
  }

  async close(): Promise<void> {
    this.#input.destroy()
    this.onclose?.()
  }

  #take(line: string): void {
    const given = jsonOf(line)
    if (given === undefined) this.#write(refusal(ErrorCode.ParseError, 'The line is not JSON'))
    else if (Array.isArray(given) && given.length > 0) this.#takeBatch(given.map(messageOf))
    else this.#takeOne(messageOf(given))
  }

  #takeOne(message: JSONRPCMessage | null): void {
    if (message === null) this.#write(NO_MESSAGE)
    else this.onmessage?.(message)
  }

  #takeBatch(given: readonly (JSONRPCMessage | null)[]): void {
    const messages = given.filter((message) => message !== null)
    const batch: Batch = {
      open: new Set(messages.filter(isJSONRPCRequest).map(({ id }) => id)),
      answers: given.filter((message) => message === null).map(() => NO_MESSAGE),
    }
    if (batch.open.size > 0) this.#batches.add(batch)
    else if (batch.answers.length > 0) this.#write(batch.answers)
    for (const message of messages) this.onmessage?.(message)
  }

  #batchOf(id: RequestId | undefined): Batch | undefined {
    return [...this.#batches].find(({ open }) => id !== undefined && open.has(id))
  }

  #finish(batch: Batch): void {
    this.#batches.delete(batch)
    this.#write(batch.answers)
  }

  #write(content: unknown): void {
    this.#output.write(`${JSON.stringify(content)}\n`)
  }
}

const refusal = (code: ErrorCode, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } })
const NO_MESSAGE = refusal(ErrorCode.InvalidRequest, 'This is no message of JSON-RPC 2.0')

/** Undefined: it is none. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Null: it is none. */
const messageOf = (given: unknown): JSONRPCMessage | null =>
  JSONRPCMessageSchema.safeParse(withArguments(given)).data ?? null

/** A call of a tool without arguments, with null or an empty list, as one with none of them; other values as they are. */
export function withArguments(given: unknown): unknown {
  const { method, params } = (given ?? {}) as { method?: unknown; params?: { arguments?: unknown } }
  // Languages with one type for lists and objects, such as PHP, write an empty object as [].
  const hasNone = method === 'tools/call' && ['null', '[]'].includes(JSON.stringify(params?.arguments ?? null))
  return hasNone ? { ...(given as object), params: { ...params, arguments: {} } } : given
}
