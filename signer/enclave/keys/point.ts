import { elementAt } from "../../core/crypto/element.ts"

/** SEC 1 §2.3.3: `02` or `03` by the parity of y, then x; of `04 || x(32) || y(32)` on any curve with such points. */
export function compressPoint(point: Uint8Array): Uint8Array {
  if (point.length !== 65 || point[0] !== 4) throw new RangeError("this is no uncompressed point")
  const compressed = point.slice(0, 33)
  compressed[0] = 2 | (elementAt(point, 64) & 1)
  return compressed
}
