import { counted } from "../../../signer/core/counted.ts"

// Amounts as people write them, in whole units.

const MAX_DECIMALS = 36

/** "1.5" with 18 decimals is "1500000000000000000". @throws {Error} with a sentence for the person */
export function fromWhole(text = "", decimals = 18): string {
  const [, whole = "", part = ""] = /^(\d{1,40})(?:\.(\d+))?$/.exec(text.trim()) ?? []
  if (whole === "") throw new Error(`An amount is a number such as 1.5, not "${text}".`)
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MAX_DECIMALS)
    throw new Error(`Decimals are a number from 0 to ${MAX_DECIMALS}.`)
  if (part.length > decimals)
    throw new Error(`${text} has ${counted(part.length, "digit")} after the point; the unit has ${decimals}.`)
  return BigInt(whole + part.padEnd(decimals, "0")).toString()
}
