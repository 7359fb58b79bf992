/** Throws for texts that begin with "FUZZ". Each byte is compared in a block of its own, so that coverage tells how far a text fits. */
export function readPlanted(input: Uint8Array): string {
  if (input[0] !== 0x46) return "no F"
  if (input[1] !== 0x55) return "no U"
  if (input[2] !== 0x5a) return "no Z"
  if (input[3] !== 0x5a) return "no second Z"
  throw new TypeError("planted")
}
