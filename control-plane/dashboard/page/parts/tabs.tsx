import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { queryValue, setQuery } from '../router.tsx'

interface Tab {
  id: string
  title: string
  show: () => ComponentChildren
}

/** Panels of which one is shown. The address keeps which; `first` is shown without one. */
export function Tabs({ label, tabs, first }: { label: string; tabs: readonly Tab[]; first: string }) {
  const wanted = queryValue('tab') || first
  const shown = tabs.find(({ id }) => id === wanted) ?? tabs[0]!
  // On a phone the tabs are wider than the window; the page itself stays where it is.
  useLayoutEffect(() => {
    const tab = document.getElementById(`tab-${shown.id}`)!
    tab.parentElement!.scrollLeft = tab.offsetLeft - tab.parentElement!.offsetLeft - tab.offsetWidth
  }, [shown.id])
  const choose = (place: number) => {
    const { id } = tabs[(place + tabs.length) % tabs.length]!
    setQuery({ tab: id })
    document.getElementById(`tab-${id}`)?.focus()
  }
  return (
    <section>
      <div class="tabs" role="tablist" aria-label={label}>
        {tabs.map(({ id, title }, place) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            class="bare"
            role="tab"
            aria-selected={id === shown.id}
            aria-controls="tab-panel"
            tabIndex={id === shown.id ? 0 : -1}
            onClick={() => choose(place)}
            onKeyDown={({ key }) => {
              if (key === 'ArrowRight') choose(place + 1)
              if (key === 'ArrowLeft') choose(place - 1)
            }}
          >
            {title}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a panel that scrolls has to be reached by keyboard */}
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${shown.id}`} tabIndex={0}>
        {shown.show()}
      </div>
    </section>
  )
}
