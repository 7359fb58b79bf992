import { renderSVG, renderUnicodeCompact } from "uqr"

/** Capitals need 5.5 bits a letter in a QR code, and words are read in any case. */
const codeOf = (words: readonly string[]) => words.join(" ").toUpperCase()

const BORDER = 2

/** A QR code of half blocks, two rows to a line. */
export function qrLines(words: readonly string[]): string[] {
  return renderUnicodeCompact(codeOf(words), { border: BORDER }).split("\n")
}

export function qrSvg(words: readonly string[]): string {
  return renderSVG(codeOf(words), { border: BORDER })
}
