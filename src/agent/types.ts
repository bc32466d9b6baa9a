/** What every server that speaks offers, whatever its protocol. */
import type { WebhookTool } from '@standin/wire/agent.ts'

/** A function that the model may call. */
export interface ToolDescription extends Pick<WebhookTool, 'name' | 'description' | 'parameters'> {}

export interface AgentListener {
  /** Mono PCM of the answer, signed 16 bit little-endian; `item` names the part of it. */
  onSound(item: string, sound: Buffer): void
  /** What a part of the answer says, in words. */
  onText(text: string): void
  /** No more of this answer comes. */
  onAnswered(): void
  /** `argumentsText` is the model's, unchecked. The answer waits for `giveResult`. */
  onToolCall(call: { id: string; name: string; argumentsText: string }): void
  /** Something failed, in a sentence; the session goes on. `code` is the server's. */
  onProblem(code: string, sentence: string): void
  /** The session is over, and not because we closed it; called once at most. Null: as planned, another one is to follow. */
  onLost(reason: string | null): void
}

/** How much of a part of an answer people heard. */
export interface HeardPart {
  item: string
  /** Milliseconds of its sound, never more than it has. */
  ms: number
}

export interface Question {
  /** The name of the person. */
  asker: string
  /** What is known of its words; all of them where questions are text. */
  text: string
}

export interface AgentSession {
  /** UTC milliseconds at which the server ends it. */
  readonly endsAt: number
  /** Sound of a question, of the provider's rate. */
  listen(sound: Buffer): void
  /** What it heard since the last question was none. */
  forget(): void
  /** Text that is no question. */
  note(text: string): void
  /** The question is complete. */
  ask(question: Question): void
  /** Says this, word for word. */
  greet(text: string): void
  /** Ends the answer, of which people heard this. */
  cut(heard: readonly HeardPart[]): void
  giveResult(id: string, result: string): void
  /** Shows the server that we are there. */
  keepAlive(): void
  close(): void
}

export interface AgentProvider {
  /** Hertz of the sound, both ways. */
  readonly sampleRate: number
  readonly host: string
  /** Questions are its sound; else they are text, and wait for their last word. */
  readonly hears: boolean
  /** Rejects with a ProviderError. */
  open(tools: readonly ToolDescription[], listener: AgentListener, signal: AbortSignal): Promise<AgentSession>
}
