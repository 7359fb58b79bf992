export type Count = { passed: number; failed: number; skipped: number }

/** Reads the last total that tap printed: `# { total: 5, pass: 2, fail: 1, todo: 1, skip: 1 }`, zeros left out. */
export function readCount(output: string): Count | undefined {
  const total = [...output.matchAll(/^# \{ total: \d+.*\}$/gm)].at(-1)?.[0]
  if (total === undefined) return undefined
  const number = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(total)?.[1] ?? 0)
  return { passed: number("pass"), failed: number("fail"), skipped: number("skip") + number("todo") }
}

/** The last lines of a run: skipped tests, if there are any, on a line before the count of the others. */
export function summary({ passed, failed, skipped }: Count): string {
  const count = `${passed} passed, ${failed} failed`
  return skipped > 0 ? `${skipped} skipped\n${count}` : count
}
