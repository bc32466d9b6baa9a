/** Bars of one figure for each day, with axes; the day under the pointer is read below them. */
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'

const HEIGHT = 240

interface ChartProps {
  /** Names the figure. */
  label: string
  dayLabel: string
  /** Such as 2026-11-26, UTC; each with its value. */
  days: readonly (readonly [day: string, value: number])[]
}

export function Chart({ label, dayLabel, days }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current!
    // A canvas knows no `light-dark()`, so each color is that of a property of the element, which the browser has resolved.
    const color = (name: 'color' | 'borderTopColor' | 'textDecorationColor') => () => getComputedStyle(element)[name]
    const axis = {
      stroke: color('textDecorationColor'),
      grid: { stroke: color('borderTopColor'), width: 1 },
      ticks: { show: false },
    }
    const data: uPlot.AlignedData = [days.map(([day]) => Date.parse(day) / 1000), days.map(([, value]) => value)]
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        scales: { y: { range: (_plot, _least, most) => [0, Math.max(most, 1) * 1.1] } },
        axes: [{ ...axis, grid: { show: false } }, axis],
        series: [
          { label: dayLabel, value: '{YYYY}-{MM}-{DD} UTC' },
          { label, fill: color('color'), paths: uPlot.paths.bars!({ size: [0.7, 40] }), points: { show: false } },
        ],
        cursor: { y: false, drag: { x: false, y: false } },
      },
      data,
      element,
    )
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => plot.redraw()
    scheme.addEventListener('change', redraw)
    return () => {
      scheme.removeEventListener('change', redraw)
      resized.disconnect()
      plot.destroy()
    }
  }, [label, days])
  return <div ref={place} class="chart" role="img" aria-label={label} />
}
