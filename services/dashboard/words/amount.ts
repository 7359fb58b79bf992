/** A number of smallest units in whole ones: 1500000000000000000 with 18 digits is "1.5". */
export function amount(units: bigint, digits: number): string {
  const text = units.toString().padStart(digits + 1, "0")
  const [whole, part] = [text.slice(0, -digits), text.slice(-digits).replace(/0+$/, "")]
  return part === "" ? whole : `${whole}.${part}`
}
