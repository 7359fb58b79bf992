/** Repeated measurements of one quantity. */
export type Spread = { median: number; min: number; max: number }

/** Undefined when nothing was measured. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.filter((value) => Number.isFinite(value)).toSorted((a, b) => a - b)
  const [min] = sorted
  const max = sorted.at(-1)
  if (min === undefined || max === undefined) return undefined
  const upper = sorted[sorted.length >> 1] as number
  const lower = sorted[(sorted.length - 1) >> 1] as number
  return { median: (lower + upper) / 2, min, max }
}

/** The value that the given share of a sorted list does not exceed. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** `med [min–max]`, with as many digits as mean something. */
export function writeSpread({ median, min, max }: Spread): string {
  return `${writeNumber(median)} [${writeNumber(min)}–${writeNumber(max)}]`
}

export function writeNumber(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en").replaceAll(",", " ")
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}
