// Parts of lists that come from the API a page at a time: filters, cursors, and reading again.
import { useEffect, useState } from "preact/hooks"

/** A filter: one value of a closed list, or all. */
export function Choice(part: {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChange: (value: string) => void
}) {
  return (
    <label class="field">
      <span class="small quiet">{part.label}</span>
      <select value={part.value} onChange={(event) => part.onChange(event.currentTarget.value)}>
        <option value="">All</option>
        {part.value !== "" && part.options.every(([value]) => value !== part.value) && (
          <option value={part.value}>{part.value}</option>
        )}
        {part.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The pages of a list, which begin after the last row of the page before. One row more than is shown says whether there is a next page. */
export function useCursors(limit: number) {
  const [cursors, setCursors] = useState<readonly string[]>([])
  const after = cursors.at(-1)
  return {
    cursors,
    options: { limit: String(limit + 1), ...(after !== undefined && { after }) },
    /** @param last id of the last row that is shown */
    turnTo: (page: number, last: string | undefined) =>
      setCursors(page > cursors.length && last !== undefined ? [...cursors, last] : cursors.slice(0, page)),
    reset: () => setCursors([]),
  }
}

const SETTLED_MS = 200

/** A text once nobody has typed on for a moment: the API is not asked for each letter. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const READ_AGAIN_MS = 2000

/** Reads a query again after each reply, while that reply says that something is under way. */
export function useReadAgain({ data, reload }: { data: unknown; reload: () => void }, isUnderWay: boolean) {
  useEffect(() => {
    if (!isUnderWay) return undefined
    const timer = setTimeout(reload, READ_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [data, isUnderWay])
}
