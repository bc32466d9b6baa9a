/** Gives the packets of a voice to its participant, who may become known after the first of them. */
import { PACKET_MS, type VoicePacket } from './voice-encoder.ts'

/** Speech of a participant who is not identified yet is kept for so long: a minute. */
const MAX_HELD = 60_000 / PACKET_MS
const MAX_UNKNOWN = 200

/**
 * `participantsOf` names those behind an owner of sound: none while they are unknown. Several share one sound, which is
 * nobody's alone: it is dropped at once, so that it is not given to the last of them who stays.
 */
export function createHeldVoices(
  participantsOf: (owner: string) => readonly string[],
  send: (participantId: string, packet: VoicePacket) => void,
) {
  const held = new Map<string, VoicePacket[]>()

  function release(owner: string): void {
    const participants = participantsOf(owner)
    if (participants.length === 0) return
    const [only] = participants.length === 1 ? participants : []
    if (only !== undefined) for (const packet of held.get(owner) ?? []) send(only, packet)
    held.delete(owner)
  }

  return {
    add(owner: string, packet: VoicePacket): void {
      if (!held.has(owner) && held.size >= MAX_UNKNOWN) return
      const waiting = held.get(owner) ?? []
      waiting.push(packet)
      if (waiting.length > MAX_HELD) waiting.shift()
      held.set(owner, waiting)
      release(owner)
    },
    /** To be called now and then: participants may have become known. */
    release(): void {
      for (const owner of [...held.keys()]) release(owner)
    },
  }
}
