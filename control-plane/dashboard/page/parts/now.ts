import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** The time in milliseconds, each second while `isRunning`. */
export function useNow(isRunning: boolean): Signal<number> {
  const now = useSignal(Date.now())
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
