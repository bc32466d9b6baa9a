/** The position in the recording that the player, the lanes and the lines share. */
import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'

const JUMP_SECONDS = 10
export const SEARCH_ID = 'search-lines'

export interface Playback {
  media: RefObject<HTMLMediaElement | null>
  /** Seconds of the recording that are played now. */
  at: Signal<number>
  seek(seconds: number, play?: boolean): void
  /** Event handlers of the media element. */
  events: Record<'onTimeUpdate' | 'onSeeking', () => void>
}

/** Also handles the keys k, j, l and / unless the person types text. */
export function usePlayback(): Playback {
  const media = useRef<HTMLMediaElement>(null)
  const at = useSignal(0)
  const playback = useMemo<Playback>(() => {
    const onTimeUpdate = () => {
      if (media.current !== null) at.value = media.current.currentTime
    }
    return {
      media,
      at,
      seek(seconds, play = false) {
        const player = media.current
        if (player === null) return
        const target = Math.max(0, Number.isFinite(player.duration) ? Math.min(seconds, player.duration) : seconds)
        player.currentTime = target
        // The player reports its new position late; a second key press counts from here.
        at.value = target
        if (play) void player.play().catch(() => {})
      },
      events: { onTimeUpdate, onSeeking: onTimeUpdate },
    }
  }, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const player = media.current
      if (event.key === '/') {
        const search = document.getElementById(SEARCH_ID)
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
