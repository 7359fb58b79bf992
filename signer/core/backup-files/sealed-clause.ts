import type { SealedFile } from "../sealed-seed/format.ts"

/** What a rehearsal says of a secret that stays sealed. */
export function sealedClause({ header: { threshold, shares } }: SealedFile): string {
  return `its secret is sealed, and ${threshold} of ${shares} shares open it`
}
