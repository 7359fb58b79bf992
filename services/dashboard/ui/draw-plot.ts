import UPlot from "uplot"

const DAY_SECONDS = 86_400

/** Bars in the colour of data, with the days below. */
export function drawPlot(
  place: HTMLElement,
  days: readonly number[],
  numbers: readonly number[],
): { destroy(): void } {
  const style = getComputedStyle(place)
  const [data, soft, quiet] = ["--data", "--line", "--ink-2"].map((name) =>
    colour(place, style.getPropertyValue(name)),
  ) as [string, string, string]
  const bars = UPlot.paths.bars?.({ size: [0.6, 24] })
  const axis = { stroke: quiet, font: `12px ${style.fontFamily}`, ticks: { show: false } }
  const options: UPlot.Options = {
    width: place.clientWidth,
    height: place.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(4, Math.ceil(high * 1.1))] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_plot, splits) =>
          splits.map((second) =>
            new Date(second * 1000).toLocaleDateString("en", {
              day: "numeric",
              month: "short",
              timeZone: "UTC",
            }),
          ),
        space: 64,
        size: 28,
      },
      { ...axis, grid: { stroke: soft, width: 1 }, size: 32, incrs: [1, 2, 5, 10, 20, 50, 100] },
    ],
    series: [
      {},
      { fill: data, stroke: data, width: 0, ...(bars && { paths: bars }), points: { show: false } },
    ],
  }
  const plot = new UPlot(options, [days.map((day) => day * DAY_SECONDS), [...numbers]], place)
  const watcher = new ResizeObserver(() =>
    plot.setSize({ width: place.clientWidth, height: place.clientHeight }),
  )
  watcher.observe(place)
  return {
    destroy() {
      watcher.disconnect()
      plot.destroy()
    },
  }
}

/** A canvas needs the colour itself, not the function that chooses it. */
function colour(place: HTMLElement, value: string): string {
  const probe = document.createElement("span")
  probe.style.color = value
  place.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
