// Reads a QR code of ISO/IEC 18004 as it was printed: version 4, level L, whose one block needs no deinterleaving. Written
// for tests, from the standard alone; errors are not corrected.

/** Versions 2 to 6 have one alignment pattern, this far from the lower right corner. */
const ALIGNMENT_OFFSET = 7
const FORMAT_MASK = 0x5412
const LEVEL_L = 1

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** Half blocks of light modules, two rows to a line. */
const HALVES: { readonly [character: string]: readonly [upper: boolean, lower: boolean] } = {
  "█": [false, false],
  "▀": [false, true],
  "▄": [true, false],
  " ": [true, true],
}

/** The text of a code of half blocks with a light border; true stands for a dark module. */
export function readQr(lines: readonly string[], border: number): string {
  const rows = lines.flatMap((line) => {
    const halves = Array.from(line, (character) => HALVES[character] ?? [false, false])
    return [halves.map(([upper]) => upper), halves.map(([, lower]) => lower)]
  })
  const size = (rows[0]?.length ?? 0) - 2 * border
  if (size !== 33) throw new Error(`a code of ${size} modules is none of version 4`)
  const dark = (x: number, y: number) => rows[y + border]?.[x + border] ?? false
  const format = formatOf(dark)
  if (format >> 3 !== LEVEL_L) throw new Error("the level is not L")
  const mask = MASKS[format & 7]
  const bits: number[] = []
  for (const [x, y] of dataModules(size)) bits.push(Number(dark(x, y) !== mask?.(x, y)))
  const read = (at: number, count: number) => Number.parseInt(bits.slice(at, at + count).join(""), 2)
  if (read(0, 4) !== 0b0100) throw new Error("the mode is not bytes")
  return Buffer.from(Array.from({ length: read(4, 8) }, (_, index) => read(12 + 8 * index, 8))).toString()
}

/** Level and mask: the five data bits of the format beside the upper left finder, the highest at the left edge. */
function formatOf(dark: (x: number, y: number) => boolean): number {
  const five = [0, 1, 2, 3, 4].reduce((value, x) => value * 2 + Number(dark(x, 8)), 0)
  return five ^ (FORMAT_MASK >> 10)
}

/** Modules that hold data, in the order of its bits: pairs of columns from the right, upwards and downwards in turn. */
function* dataModules(size: number): Generator<[x: number, y: number]> {
  let upwards = true
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (let step = 0; step < size; step++) {
      const y = upwards ? size - 1 - step : step
      for (const x of [right, right - 1]) if (!isFunction(x, y, size)) yield [x, y]
    }
    upwards = !upwards
  }
}

function isFunction(x: number, y: number, size: number): boolean {
  const center = size - ALIGNMENT_OFFSET
  const isFinder = (x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8)
  const isAlignment = Math.abs(x - center) <= 2 && Math.abs(y - center) <= 2
  return isFinder || isAlignment || x === 6 || y === 6
}
