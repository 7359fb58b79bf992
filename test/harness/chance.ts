/** A small generator of numbers below a bound, so that a failure comes again (Numerical Recipes, 32 bits). */
export function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Digits, and what readers of hexadecimal, base64 and JSON may forgive. */
const CHARACTERS = '0189afAF_-+/=zZ {}":,\n\t\u00e9'

/** A text with one small change, which may be none: a character put in, left out, replaced or raised, or all raised. */
export function alteredText(text: string, pick: (below: number) => number): string {
  const at = pick(text.length)
  const other = CHARACTERS[pick(CHARACTERS.length)]!
  switch (pick(6)) {
    case 0:
      return text.slice(0, at) + other + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1)
    case 2:
      return text + other
    case 3:
      return text.toUpperCase()
    case 4:
      return text.slice(0, at) + text[at]!.toUpperCase() + text.slice(at + 1)
    default:
      return text.slice(0, at) + other + text.slice(at + 1)
  }
}
