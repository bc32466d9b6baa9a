import { ChevronDown, Ellipsis } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface MenuProps {
  label: string
  /** Three dots instead of the label, and no accent. */
  isMore?: boolean
  children: ComponentChildren
}

/** A button that opens a list of links and buttons. It closes by a choice, a press elsewhere, and Escape. */
export function Menu({ label, isMore = false, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) menu.current!.open = false
    }
    document.addEventListener('pointerdown', close)
    document.addEventListener('focusin', close)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('focusin', close)
    }
  }, [])
  return (
    <details
      ref={menu}
      class="menu"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape' || !currentTarget.open) return
        currentTarget.open = false
        currentTarget.querySelector('summary')?.focus()
      }}
    >
      <summary class={isMore ? 'button' : 'button main'} aria-label={isMore ? label : undefined}>
        {!isMore && label}
        <Icon of={isMore ? Ellipsis : ChevronDown} />
      </summary>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on an item is a click too */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the items are links and buttons */}
      <div
        class={isMore ? 'items end' : 'items'}
        onClick={() => {
          menu.current!.open = false
        }}
      >
        {children}
      </div>
    </details>
  )
}
