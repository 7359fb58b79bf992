/** A sealed file begins with this line, so that people and programs see what it is. No plain seed has its length. */
export const SEALED_MARK = Buffer.from("countersign-sealed-seed/1\n")
export const SEALED_MARK_LENGTH = SEALED_MARK.length

export function isSealed(file: Uint8Array): boolean {
  return SEALED_MARK.equals(file.subarray(0, SEALED_MARK.length))
}
