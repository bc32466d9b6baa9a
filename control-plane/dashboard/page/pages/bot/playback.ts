/** The playback position, which the player, the lanes and the transcript share. */
import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'

const JUMP_SECONDS = 10

export interface Playback {
  media: RefObject<HTMLMediaElement | null>
  /** Seconds of the recording that are played now. */
  at: Signal<number>
  seek(seconds: number, play?: boolean): void
  /** For the player. */
  onTime(): void
}

/** Also listens to the keys k, j, l and / wherever no text is typed. */
export function usePlayback(): Playback {
  const media = useRef<HTMLMediaElement>(null)
  const at = useSignal(0)
  const playback = useMemo<Playback>(
    () => ({
      media,
      at,
      seek(seconds, play = false) {
        const player = media.current
        if (player === null) return
        const target = Math.max(0, Number.isFinite(player.duration) ? Math.min(seconds, player.duration) : seconds)
        player.currentTime = target
        // The player reports its new position late. A second press of a key jumps from this one.
        at.value = target
        if (play) void player.play().catch(() => {})
      },
      onTime() {
        if (media.current !== null) at.value = media.current.currentTime
      },
    }),
    [],
  )
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const player = media.current
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('#transcript-search')
        if (search === null) return
        event.preventDefault()
        search.focus()
      }
      if (player === null || event.target instanceof HTMLMediaElement) return
      if (event.key === 'k') player.paused ? void player.play().catch(() => {}) : player.pause()
      if (event.key === 'j') playback.seek(at.value - JUMP_SECONDS)
      if (event.key === 'l') playback.seek(at.value + JUMP_SECONDS)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return playback
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  )
}
