import type { RandomBytes } from "../crypto/secret.ts"

/** Form of a code. `length`: characters. */
export type CodeForm = { length: number; alphanumeric: boolean }

/** Crockford's Base32: no letter looks like a digit, and 32 characters divide the values of a byte evenly. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** Largest multiple of ten that a byte can be below: greater bytes are drawn again, so that all digits are alike. */
const DIGIT_BYTES = 250

/** A code in which each character is drawn alike from its alphabet. */
export function makeCode({ length, alphanumeric }: CodeForm, random: RandomBytes): string {
  let code = ""
  while (code.length < length) {
    const [byte = 0] = random(1)
    if (alphanumeric) code += LETTERS.charAt(byte & 31)
    else if (byte < DIGIT_BYTES) code += String(byte % 10)
  }
  return code
}

/** The spelling that is compared: upper case, and the letters O, I and L for the digits that they look like. */
export function canonicalCode(text: string): string {
  return text.trim().toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1")
}
