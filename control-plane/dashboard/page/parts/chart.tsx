/** Bars of one figure for each day, with axes; the day under the pointer, or else the last one, is read below them. */
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
    const [times, values] = data as number[][]
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        scales: { y: { range: (_plot, _least, most) => [0, Math.max(most, 1) * 1.1] } },
        axes: [{ ...axis, grid: { show: false } }, axis],
        series: [
          {
            label: dayLabel,
            value: (_plot, at: number | null) =>
              `${new Date((at ?? times!.at(-1)!) * 1000).toISOString().slice(0, 10)} UTC`,
          },
          {
            ...{ label, fill: color('color'), paths: uPlot.paths.bars!({ size: [0.7, 40] }), points: { show: false } },
            value: (_plot, value: number | null) => `${Math.round((value ?? values!.at(-1)!) * 100) / 100}`,
          },
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
