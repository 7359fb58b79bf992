import { useEffect, useRef } from "preact/hooks"
import type { Time } from "../../common/activity-json.ts"
import { count, msOf } from "../words/time.ts"
import { isDark } from "./theme.tsx"

const DAYS = 14
const DAY_MS = 86_400_000

/** Numbers a day over the last two weeks. Drawn by uPlot, which is loaded for it; said in words beside. */
export function DayPlot({
  label,
  times,
  isWhole,
}: {
  label: string
  times: readonly Time[]
  isWhole: boolean
}) {
  const place = useRef<HTMLDivElement>(null)
  const today = Math.floor(Date.now() / DAY_MS)
  const days = Array.from({ length: DAYS }, (_, index) => today - DAYS + 1 + index)
  const numbers = days.map((day) => times.filter((time) => Math.floor(msOf(time) / DAY_MS) === day).length)
  useEffect(() => {
    let plot: { destroy(): void } | undefined
    let isCurrent = true
    const draw = async () => {
      const { drawPlot } = await import("./draw-plot.ts")
      if (isCurrent && place.current) plot = drawPlot(place.current, days, numbers)
    }
    void draw()
    return () => {
      isCurrent = false
      plot?.destroy()
    }
    // A drawing keeps the colours that it was drawn with.
  }, [numbers.join(), isDark.value])
  const sum = numbers.reduce((one, other) => one + other, 0)
  const words = `${isWhole ? "" : "at least "}${count(sum, "activity").replace("activitys", "activities")} in two weeks`
  return (
    <div>
      <p>
        <span class="big">{numbers.at(-1)}</span> today<span class="quiet">, {words}</span>
      </p>
      <div ref={place} class="plot" role="img" aria-label={`${label} a day: ${numbers.join(", ")}`} />
    </div>
  )
}
